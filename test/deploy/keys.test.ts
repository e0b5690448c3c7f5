// Rows of an account are found by the account: its id is the first column of every key and index of every table that has one. What is not, is
// named here with its reason: a shard has no other way to what lies on it (deploy/scale-out.md).
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { accountTables } from "./shard-guard.ts";

const byOperator = "read by sweeps and runners of the shard";
const beforeAccount = "asked before the account is known: the directory's";
const byId = "named by its id, beside its account or by its runner; the id is random or from a sequence of the shard";

const exceptions: Record<string, string> = {
  auto_topup_due: byOperator,
  batch_ended: byOperator,
  batch_of_file: byId,
  batch_open: byOperator,
  batch_pkey: byId,
  credit_grant_due: byOperator,
  voucher_hash_key: beforeAccount,
  voucher_of_batch: byOperator,
  voucher_pkey: byId,
  account_email_norm_key: beforeAccount,
  account_user_id_key: beforeAccount,
  api_key_expires: byOperator,
  api_key_hash_key: beforeAccount,
  api_key_old_hash_key: beforeAccount,
  api_key_pkey: byId,
  former_member_of_person: beforeAccount,
  hold_owner: byOperator,
  idempotency_key_age: byOperator,
  identity_pkey: beforeAccount,
  invitation_expires: byOperator,
  invitation_hash_key: beforeAccount,
  invitation_of_address: beforeAccount,
  invitation_pkey: byId,
  member_of_person: beforeAccount,
  notice_age: byOperator,
  notice_delivery_due: byOperator,
  notice_unplanned: byOperator,
  operator_action_action: byOperator,
  operator_action_at: byOperator,
  operator_action_effect_key: byId,
  operator_action_pkey: byId,
  operator_action_shell: byOperator,
  operator_action_target: byOperator,
  operator_action_who: byOperator,
  kept_answer_expiry: byOperator,
  key_budget_limited: byOperator,
  key_budget_pkey: byId,
  ledger_entry_refunds: byOperator,
  known_network_expires: byOperator,
  known_network_pkey: beforeAccount,
  media_expense_pkey: byOperator,
  media_job_late: byOperator,
  media_job_pkey: byId,
  media_job_turn: byOperator,
  session_expires: byOperator,
  session_id_key: byId,
  session_pkey: beforeAccount,
  signup_mailbox_pkey: beforeAccount,
  stored_file_pkey: byId,
  topup_checkout_id_key: beforeAccount,
  topup_payment_id_key: beforeAccount,
  topup_pkey: beforeAccount,
  usage_log_recent: byOperator,
  usage_rollup_charges: byOperator,
  usage_rollup_tags: byOperator,
  usage_log_request: byId,
  verification_expires: byOperator,
  verification_pkey: beforeAccount,
  voice_pkey: beforeAccount,
  workspace_domain_pkey: byId,
  workspace_domain_verified: beforeAccount,
};

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 2 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("account_id leads every key and index of an account's table, but for those that are named", async () => {
  const tables = await accountTables(db);
  expect(tables.size).toBeGreaterThan(10);
  const { rows } = await db.pool.query<{ index: string; table: string; first: string }>(
    `select i.indexrelid::regclass::text as index, i.indrelid::regclass::text as table, a.attname as first
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indrelid = any($1::regclass[])`,
    [[...tables.keys()]],
  );
  const others = rows.filter(({ table, first }) => first !== tables.get(table)).map(({ index }) => index);
  expect(others.sort()).toEqual(Object.keys(exceptions).sort());
});

test("every table of an account has a primary key", async () => {
  const { rows } = await db.pool.query<{ name: string }>(
    "select c.relname as name from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary where c.relname = any($1)",
    [[...(await accountTables(db)).keys()]],
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...(await accountTables(db)).keys()].sort());
});
