-- Of cache_write_tokens, those that are kept for an hour, which have a price of their own; null: none. Rows of older gateways lack it.
alter table usage_log add column cache_write_1h_tokens bigint check (cache_write_1h_tokens between 0 and cache_write_tokens);
