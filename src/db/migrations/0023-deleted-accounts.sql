-- When a person deleted the account, or the last member of a workspace was deleted with it. Its rows stay where money is concerned; what says who it
-- was is replaced.
alter table account add column deleted_at timestamptz;
