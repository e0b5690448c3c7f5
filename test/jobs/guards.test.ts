// What the table of jobs itself refuses: moves that don't exist, rows that contradict themselves.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { mayPass, persist } from "../../src/ledger/account-batcher.ts";
import { untilWaiting } from "../support/locks.ts";
import { newAccount } from "../ledger/new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { expectClean, finish, lease, submit } from "./job-rows.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 6 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const statuses = ["queued", "pending", "processing", "succeeded", "failed", "refunded", "expired"] as const;
type Status = (typeof statuses)[number];

const moves: Record<Status, Status[]> = {
  queued: ["pending", "failed", "expired"],
  pending: ["processing", "succeeded", "failed", "expired"],
  processing: ["succeeded", "failed", "expired"],
  succeeded: ["refunded"],
  failed: [],
  refunded: [],
  expired: [],
};

/** Columns that a row of that status may have. */
const shapes: Record<Status, string> = {
  queued:
    "started_at = null, run_at = null, completed_at = null, charged = null, refunded = null, output = null, error_code = null, request = '{}'",
  pending:
    "started_at = now(), run_at = now(), completed_at = null, charged = null, refunded = null, output = null, error_code = null, request = '{}'",
  processing:
    "started_at = now(), run_at = now(), intent_at = now(), completed_at = null, charged = null, refunded = null, output = null, error_code = null, request = '{}'",
  succeeded:
    "started_at = now(), run_at = null, completed_at = now(), charged = 60, refunded = 40, output = '{}', error_code = null, request = null",
  failed:
    "started_at = now(), run_at = null, completed_at = now(), charged = null, refunded = 100, output = null, error_code = 'x', request = null",
  refunded:
    "started_at = now(), run_at = null, completed_at = now(), charged = 0, refunded = 100, output = '{}', error_code = null, request = null",
  expired:
    "started_at = now(), run_at = null, completed_at = now(), charged = null, refunded = 100, output = null, error_code = 'x', request = null",
};

/** The change's error, in a transaction that is rolled back. */
async function tried(from: Status, change: string): Promise<string> {
  const client = await db.pool.connect();
  try {
    await client.query("begin");
    const accountId = await newAccountIn(client);
    const id = "00000000-0000-4000-8000-000000000000";
    await client.query("alter table media_job disable trigger user");
    await client.query(
      `insert into media_job (id, account_id, api, kind, shown_id, status, request_id, operation, http_status, model, request, prices, secret, estimated)
       values ($1, $2, 'image', 'image', 'job_x', 'queued', 'r', 'createImage', 200, 'm', '{}', '{}', 's', 100)`,
      [id, accountId],
    );
    await client.query(`update media_job set status = '${from}', ${shapes[from]}`);
    await client.query("alter table media_job enable trigger user");
    await client.query(`update media_job set ${change}`);
    return "done";
  } catch (error) {
    return (error as { constraint?: string; message: string }).constraint ?? (error as Error).message;
  } finally {
    await client.query("rollback");
    client.release();
  }
}

async function newAccountIn(client: { query: Db["pool"]["query"] }): Promise<bigint> {
  const { rows } = await client.query<{ id: bigint }>("insert into account (email, email_norm) values ('a@b.c', 'a@b.c') returning id");
  return rows[0]!.id;
}

describe("moves", () => {
  test.each(statuses.flatMap((from) => statuses.filter((to) => to !== from).map((to) => [from, to] as const)))(
    "%s to %s",
    async (from, to) => {
      const said = await tried(from, `status = '${to}', ${shapes[to]}`);
      expect(said).toBe(moves[from].includes(to) ? "done" : `a media job does not move from ${from} to ${to}`);
    },
  );

  test.each(statuses)("a job begins as queued or pending: %s", async (status) => {
    const accountId = await newAccount(db);
    const insert = db.pool.query(
      `insert into media_job (id, account_id, api, kind, shown_id, status, request_id, operation, http_status, model, request, prices, secret, estimated)
       values (gen_random_uuid(), $1, 'image', 'image', 'job_x', $2, 'r', 'createImage', 200, 'm', '{}', '{}', 's', 100)`,
      [accountId, status],
    );
    if (status === "queued") await insert;
    else await expect(insert).rejects.toThrow(status === "pending" ? /running_has_its_turn|slot_has_its_start/ : /does not begin as/);
    await db.pool.query("delete from media_job where account_id = $1", [accountId]);
  });
});

describe("rows", () => {
  test.each([
    ["queued", "started_at = now()", "slot_has_its_start"],
    ["queued", "run_at = now()", "running_has_its_turn"],
    ["queued", "lease_owner = gen_random_uuid()", "only_running_is_leased"],
    ["queued", "charged = 0", "money_adds_up"],
    ["pending", "run_at = null", "running_has_its_turn"],
    ["pending", "started_at = null", "slot_has_its_start"],
    ["pending", "request = null", "open_has_its_request"],
    ["pending", "completed_at = now()", "ended_has_its_time"],
    ["pending", "refunded = 1", "money_adds_up"],
    ["processing", "intent_at = null", "processing_was_asked"],
    ["succeeded", "charged = 61", "money_adds_up"],
    ["succeeded", "refunded = null", "money_adds_up"],
    ["succeeded", "charged = 101, refunded = -1", "media_job_check"],
    ["succeeded", "output = null", "made_has_its_output"],
    ["succeeded", "error_code = 'x'", "not_made_says_why"],
    ["succeeded", "request = '{}'", "open_has_its_request"],
    ["succeeded", "lease_owner = gen_random_uuid()", "only_running_is_leased"],
    ["failed", "refunded = 99", "money_adds_up"],
    ["failed", "charged = 1", "money_adds_up"],
    ["failed", "error_code = null", "not_made_says_why"],
    ["expired", "completed_at = null", "ended_has_its_time"],
  ] as [Status, string, string][])("%s with %s: refused by %s", async (status, change, constraint) => {
    expect(await tried(status, change)).toBe(constraint);
  });

  test.each(["model = 'other'", "estimated = 1", "prices = '{}'", "secret = 't'", "account_id = account_id"])(
    "%s: what a job is stays",
    async (change) => {
      expect(await tried("pending", change)).toContain("what a media job is and may cost does not change");
    },
  );
});

test("a submit waits for an account whose balance is held, and succeeds when it is free", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query("select 1 from balance where account_id = $1 for update", [accountId]);
  const refused = submit(db, { accountId });
  await untilWaiting(db, "media_submit");
  const error = await refused.catch((cause: unknown) => cause);
  expect(mayPass(error)).toBe(true); // Postgres gives up after 3 s
  const patient = persist(10_000, new AbortController().signal, () => submit(db, { accountId }));
  await untilWaiting(db, "media_submit");
  await client.query("rollback");
  client.release();
  const { id, outcome } = await patient;
  expect(outcome).toBe("pending");
  await finish(db, id, await lease(db, id), { charged: 1n });
  await expectClean(db);
});
