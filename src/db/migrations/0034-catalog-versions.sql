-- The catalogs that operators applied. The newest row is in use by every process; without a row, each uses the file of SVC_CATALOG.
create table catalog_version (
  id integer generated always as identity primary key,
  applied_at timestamptz not null,
  applied_by text not null,
  reason text,
  -- Null: back to the file of SVC_CATALOG, which each process has read.
  text text,
  sha256 text,
  -- The version that a revert of this one goes back to; 0: the file; null: there is none before.
  previous integer,
  -- The version that this row went back to; 0: the file; null: the row is a new text.
  restores integer,
  check ((text is null) = (sha256 is null))
);

-- What models cost, change by change. The newest row of a model says what it costs now.
create table price_change (
  id bigint generated always as identity primary key,
  model text not null,
  at timestamptz not null,
  -- Null: it was not sold before.
  price_before jsonb,
  -- Null: it is no longer sold.
  price_after jsonb,
  check (price_before is distinct from price_after)
);
create index price_change_model on price_change (model, id desc);
