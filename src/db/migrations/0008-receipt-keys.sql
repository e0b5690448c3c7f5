-- The keys that sign receipts. The public half stays, so that old receipts can be checked; the private half goes when the key is replaced.
create table receipt_key (
  -- The key's thumbprint (RFC 7638).
  kid text primary key,
  public_jwk jsonb not null,
  -- The private key: a JWK as text, or a JWE of it under SVC_RECEIPT_SECRET; null: replaced.
  private_key text,
  created_at timestamptz not null default now(),
  replaced_at timestamptz,
  check ((private_key is null) = (replaced_at is not null))
);
create unique index receipt_key_current on receipt_key ((true)) where replaced_at is null;
