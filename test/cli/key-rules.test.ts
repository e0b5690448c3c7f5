// svc key create with budgets and policies, and svc key roll: what is kept and shown, and what is refused as wrong usage.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isKeyShaped } from "../../src/accounts/keys.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { callSvc, type Ran } from "./run-svc.ts";

let database: TestDatabase;
let account: string;
const svc = (...words: string[]): Promise<Ran> => callSvc({ DATABASE_URL: database.url }, words);
const keys = async () => (await svc("key", "list", account, "--json")).json() as { data: Record<string, unknown>[] };
beforeAll(async () => {
  database = await freshDatabase();
  const created = (await svc("account", "create", "--email", "rules@example.com", "--json")).json() as { account_id: string };
  account = created.account_id;
});
afterAll(() => database.drop());

test("key create keeps the recurring budget, the expiry, the networks and the scopes; the list shows them", async () => {
  const made = await svc(
    ...["key", "create", account, "--name", "bound", "--limit", "2", "--resets", "daily", "--expires", "2099-01-31T00:00:00Z"],
    ...["--networks", "192.0.2.7/24, 2001:db8::/32", "--scopes", "no_media,no_audio", "--stream-usage", "--response-cache", "60"],
  );
  expect([made.status, made.stderr]).toEqual([0, ""]);
  expect((await keys()).data[0]).toMatchObject({
    ...{ name: "bound", limit_usd: 2, limit_resets: "daily", expires_at: "2099-01-31T00:00:00.000Z" },
    ...{
      allowed_networks: ["192.0.2.0/24", "2001:db8::/32"],
      scopes: ["no_media", "no_audio"],
      stream_usage: true,
      response_cache_seconds: 60,
    },
  });
  expect((await svc("key", "list", account)).stdout).toContain("of 2 daily");
});

test.each([
  [["--resets", "yearly"], "--resets must be one of"],
  [["--expires", "2020-01-01T00:00:00Z"], '--expires must be a time in the future, such as 2027-01-31, not "2020-01-01T00:00:00Z"'],
  [["--expires", "soon"], '--expires must be a time in the future, such as 2027-01-31, not "soon"'],
  [["--networks", "10.0.0.0/8, 192.0.2.0/33"], "--networks 192.0.2.0/33 is not valid: its prefix has 32 bits at most."],
  [["--scopes", "everything"], "--scopes must be of read_only"],
])("key create %j is refused, and no key is made", async (options, message) => {
  const before = (await keys()).data.length;
  const ran = await svc("key", "create", account, "--name", "k", ...options);
  expect([ran.status, ran.stdout]).toEqual([2, ""]);
  expect(ran.stderr).toContain(message);
  expect((await keys()).data).toHaveLength(before);
});

test("key roll shows a new secret once, and until when the one before works", async () => {
  const { id } = (await keys()).data[0] as { id: string };
  const rolled = (await svc("key", "roll", id, "--grace", "60", "--json")).json() as Record<string, unknown>;
  expect([isKeyShaped(String(rolled.api_key)), rolled.id]).toEqual([true, id]);
  expect((await keys()).data[0]).toMatchObject({ id, previous_secret_until: rolled.previous_secret_until });
  const ended = await svc("key", "roll", id, "--grace", "0");
  expect(ended.stdout).toContain("The previous secret no longer works.");
  expect((await svc("key", "roll", id, "--grace", "604801")).status).toBe(2);
  expect((await svc("key", "roll", "key_999999")).status).toBe(1);
});
