-- Vouchers are ended one by one, and a request that makes some is repeated without making more. The two tables are small.
alter table voucher
  -- Since when it can't be redeemed, beside the end of its batch.
  add column ended_at timestamptz check (ended_at is null or redeemed_at is null);
alter table voucher_batch
  -- Of the request that made it, the same for its repeats; null: it is made anew each time.
  add column effect uuid unique;
-- Pages follow this order.
drop index voucher_of_batch;
create index voucher_of_batch on voucher (batch_id, id);
