-- A duration as a histogram of one call. Bucket b ends at 1.1^b milliseconds and its count is the b-th group of 12 decimal digits from the
-- right, so histograms are added with sum(), which is compiled code; src/ledger/summary/show-summary.ts reads them. Empty: 0.
create or replace function usage_histogram(_ms int) returns numeric language sql immutable parallel safe as $$
  select case when _ms is null then 0
    else ('1e' || 12 * ceil(ln(greatest(_ms, 1)::float8) / ln(1.1::float8))::int)::numeric end
$$;
