-- A call as ledger_settle takes it: its row of usage_log, and its place in its account's batch. Not usage_log's own row type: a gateway of
-- the previous version sends the fields that there were then, and a type that gains one refuses them.
create type settled_call as (
  account_id bigint,
  created_at timestamptz,
  id uuid,
  request_id text,
  key_id bigint,
  operation text,
  model text,
  alias text,
  served_model text,
  status text,
  http_status int,
  error_code text,
  input_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  estimated boolean,
  cost bigint,
  -- What its hold is.
  reserved bigint,
  prices jsonb,
  attempts jsonb,
  stream boolean,
  fallback_layer int,
  latency_ms int,
  first_byte_ms int,
  model_type text,
  error_message text,
  units numeric,
  unit text,
  expense bigint,
  -- How many of the account's calls in this batch are charged, up to this one, and what they cost.
  place bigint,
  total bigint
);
