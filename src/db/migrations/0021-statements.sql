-- The sums of an account's entries in a month that is over. Stored once, a day after its end: an entry that is posted later belongs to the
-- next month, so that a statement never changes.
create table closed_month (
  account_id bigint not null references account,
  -- Its first day, in UTC.
  month date not null check (extract(day from month) = 1),
  -- Of the last entry up to its end.
  last_seq bigint not null,
  entries bigint not null,
  topups bigint not null,
  grants bigint not null,
  charges bigint not null,
  holds bigint not null,
  refunds bigint not null,
  adjustments bigint not null,
  payment_refunds bigint not null,
  closing bigint not null,
  primary key (account_id, month)
);
create trigger closed_months_stay before update or delete or truncate on closed_month
  for each statement execute function refuse_change('a closed month is final');
