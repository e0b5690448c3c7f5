// One signup credit a mailbox, whichever form of its address asks.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { foldEmail, mailboxOf } from "../../src/text/email-address.ts";
import { postSignupCredit } from "../../src/ledger/post.ts";
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
  const credit = { amount: 5n, ref: "verified", at: new Date() };
  const given: [string, bigint][] = [];
  for (const email of emails) given.push([email, await postSignupCredit(db, { ...credit, accountId: await newAccount(email), email })]);
  const { rows } = await db.pool.query("select mailbox, email from signup_mailbox join account on id = account_id");
  const first = new Map(emails.toReversed().map((email) => [mailboxOf(email), email]));
  expect(new Map(rows.map(({ mailbox, email }) => [mailbox, email]))).toEqual(first);
  expect(given).toEqual(emails.map((email) => [email, first.get(mailboxOf(email)) === email ? 5n : 0n]));
});
