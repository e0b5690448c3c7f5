-- The tax of a payment, and where and for whom it was computed, as the payment provider said; null: it said nothing.
alter table topup
  -- Of what was paid: on top of the amount, or within it.
  add column tax bigint,
  -- ISO 3166-1.
  add column tax_country text check (tax_country ~ '^[A-Z]{2}$'),
  add column tax_id text check (length(tax_id) between 1 and 64);
