-- Media jobs keep the tags of the request that submitted them until their end, for its row of the usage log. Jobs from before have none.
alter table media_job add column tags jsonb;
