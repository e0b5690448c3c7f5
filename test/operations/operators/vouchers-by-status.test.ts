// Operators' lists of vouchers by status, over HTTP, held against the whole list.
import { afterAll, beforeAll, expect, test } from "vitest";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog });
});
afterAll(() => gateway.stop());

interface Listed {
  id: string;
  batch: number;
  status: string;
  account_id: string | null;
}

test("pages of a status are the whole list's vouchers that have it, in its order, whether they, their batch or their time ended them", async () => {
  const { key } = await newOperator(gateway, "support");
  const accounts = await Promise.all([gateway.createAccount(), gateway.createAccount()]);
  const { pool } = gateway.context.db;
  // Each way to end a batch with each of a voucher, by chance more or fewer.
  await pool.query(
    `insert into voucher_batch (amount, count, created_at, created_by, once_per_account, expires_at, ended_at)
     select 1, 10, now(), 'someone', false, case n / 2 % 3 when 1 then now() - interval '1 hour' when 2 then now() + interval '1 hour' end,
       case when n % 2 = 1 then now() end from generate_series(1, 12) n order by random()`,
  );
  await pool.query(
    `insert into voucher (id, batch_id, hash, account_id, redeemed_at, ended_at)
     select gen_random_uuid(), b.id, sha256((b.id || ' ' || n)::bytea), account, case when account is not null then now() end, case when n % 5 = 2 then now() end
     from voucher_batch b, generate_series(1, 10 + (random() * 5)::int) n, lateral (select case when n % 5 < 2 then ($1::bigint[])[1 + n % 2] end as account) a`,
    [accounts.map(({ accountId }) => accountId)],
  );
  const all = async (filter: string, limit: number) => {
    const rows: Listed[] = [];
    for (let after = "", more = true; more;) {
      const { json } = await gateway.request("GET", `/v1/operator/vouchers?limit=${limit}${filter}${after}`, { key });
      rows.push(...(json.data as Listed[]));
      [after, more] = [`&after=${json.last_id as string}`, json.has_more as boolean];
    }
    return rows;
  };

  const whole = await all("", 100);
  expect(whole.length).toBeGreaterThanOrEqual(120);
  for (const status of ["redeemed", "ended", "expired", "open"]) {
    const those = whole.filter((row) => row.status === status);
    expect(those.length, status).toBeGreaterThan(3);
    expect(await all(`&status=${status}`, 7), status).toEqual(those);
    for (const batch of new Set(whole.map((row) => row.batch)))
      expect(await all(`&status=${status}&batch=${batch}`, 3), status).toEqual(those.filter((row) => row.batch === batch));
    const [{ id }] = accounts as [{ id: string }, unknown];
    expect(await all(`&status=${status}&account=${id}`, 5), status).toEqual(those.filter((row) => row.account_id === id));
  }
});
