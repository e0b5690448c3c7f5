// Migration 0015 on accounts that were given their signup credit before it: their mailboxes count as given, as new addresses are read.
import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import * as mailboxes from "../../src/db/migrations/0015-mailboxes.ts";
import { foldEmail, mailboxOf } from "../../src/text/email-address.ts";
import { postEntry, postSignupCredit } from "../../src/ledger/post.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

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

const emails = [
  "Ada+1@Example.com",
  "ada+2@example.com",
  "a.d.a@gmail.com",
  "ada+x@googlemail.com",
  "+ada@example.com",
  "bob@example.com.",
  "b.ob@example.com",
];

async function newAccount(email: string): Promise<bigint> {
  const { rows } = await db.pool.query<{ id: bigint }>("insert into account (email, email_norm) values ($1, $2) returning id", [
    email,
    foldEmail(email),
  ]);
  return rows[0]!.id;
}

test("each mailbox is the first account's, and no further address of it is given a credit", async () => {
  await db.pool.query("drop table signup_mailbox, known_network; alter table sign_in_flow drop column browser");
  for (const email of emails)
    await postEntry(db, { accountId: await newAccount(email), kind: "signup_credit", amount: 1n, ref: "old", at: new Date() });
  await newAccount("never-given@example.com");
  await mailboxes.up(db.kysely as unknown as Kysely<unknown>);
  const { rows } = await db.pool.query("select mailbox, email from signup_mailbox join account on id = account_id");
  const first = new Map(emails.toReversed().map((email) => [mailboxOf(email), email]));
  expect(new Map(rows.map(({ mailbox, email }) => [mailbox, email]))).toEqual(first);
  const again = { amount: 5n, ref: "verified", at: new Date() };
  for (const email of ["ada+9@example.com", "Bob+y@EXAMPLE.com"])
    expect(await postSignupCredit(db, { ...again, accountId: await newAccount(email), email })).toBe(0n);
  const email = "never-given+1@example.com";
  expect(await postSignupCredit(db, { ...again, accountId: await newAccount(email), email })).toBe(5n);
});
