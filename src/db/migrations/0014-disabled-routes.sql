-- What operators took out of use for a while: a provider, or one of its routes. Every process holds it in memory and reads it again at each
-- NOTIFY of the channel disabled_route.
create table disabled_route (
  -- As the catalog names it.
  provider text not null check (provider <> ''),
  -- The provider's id of the model; empty: all its routes.
  model text not null,
  until timestamptz not null,
  reason text not null,
  disabled_by text not null,
  disabled_at timestamptz not null,
  primary key (provider, model)
);
