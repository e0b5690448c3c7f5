-- The sums of all balances as the background task keeps them, in a new table of one row, and an index of vouchers by what became of them. The table
-- of vouchers is read once, while none is made, redeemed or ended; calls don't wait.

create table balance_total (
  only_row boolean primary key default true check (only_row),
  -- Since when balances may have changed.
  as_of timestamptz not null,
  accounts bigint not null,
  balance bigint not null,
  -- Accounts below 0, and by how much.
  negative_accounts bigint not null,
  negative bigint not null
);

-- Of a voucher by itself: whether it ended with its batch, or by its time, the batch says.
create index if not exists voucher_by_end on voucher ((case when redeemed_at is not null then 'redeemed' when ended_at is not null then 'ended' else 'open' end), batch_id, id);
