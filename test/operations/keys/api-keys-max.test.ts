// How many API keys an account may have.
import { afterAll, beforeAll, expect, test } from "vitest";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

test("403 permission_denied: 500 keys an account, exactly", async () => {
  const account = await gateway.createAccount({ deposit: "20" });
  const { token } = await gateway.createSession(account);
  await gateway.context.db.pool.query(
    `insert into api_key (account_id, hash, prefix, last4, name)
     select $1::bigint, sha256(convert_to($1::bigint::text || ' ' || n, 'UTF8')), 'svc_many', 'many', 'many' from generate_series(1, 496) n`,
    [account.accountId],
  );
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => gateway.request("POST", "/v1/auth/keys", { key: token, body: { name: "laptop" } })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403, 403, 403, 403]);
  expect(replies.find(({ status }) => status === 403)!.json.error.message).toContain("at most 500 keys");
});
