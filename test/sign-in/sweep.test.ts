// What has had its time is deleted; what can still be asked about stays.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../src/accounts/admin.ts";
import { digestOf } from "../../src/accounts/keys.ts";
import { makeToken } from "../../src/accounts/tokens.ts";
import { openSession, sessionLifeMs } from "../../src/accounts/sessions.ts";
import { sweep } from "../../src/sign-in/sweep.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const day = 24 * 60 * 60 * 1000;
const start = new Date("2026-11-21T10:00:00Z");
const after = (ms: number) => new Date(start.getTime() + ms);
const count = async (table: string) => (await db.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n;

test("sessions when they end; mails a week later and sign-ins under way a day later, so that a late one is told so", async () => {
  const { accountId } = await createAccount(db, { email: "ada@example.com", verified: true, at: start });
  await openSession(db, { accountId, at: start });
  await db.pool.query(
    "insert into verification (hash, account_id, purpose, created_at, expires_at) values ($1, null, 'verify_email', $2, $2)",
    [makeToken("mail").hash, start],
  );
  await db.pool.query(
    `insert into sign_in_flow (hash, provider, nonce, code_verifier, redirect_uri, created_at, expires_at)
     values ($1, 'p', 'n', 'v', 'https://a.example', $2, $2)`,
    [makeToken("signIn").hash, start],
  );
  const left = async (at: Date) => {
    await sweep(db, at);
    return [await count("session"), await count("verification"), await count("sign_in_flow")];
  };
  expect(await left(after(day))).toEqual([1, 1, 1]);
  expect(await left(after(day + 1))).toEqual([1, 1, 0]);
  expect(await left(after(7 * day + 1))).toEqual([1, 0, 0]);
  expect(await left(after(sessionLifeMs))).toEqual([1, 0, 0]);
  expect(await left(after(sessionLifeMs + 1))).toEqual([0, 0, 0]);
});

test("more than a batch, swept by four replicas at once", async () => {
  const { accountId } = await createAccount(db, { email: "bob@example.com", verified: true, at: start });
  const hashes = Array.from({ length: 2_500 }, (_, n) => digestOf(String(n)));
  await db.pool.query(
    "insert into session (hash, account_id, created_at, last_used_at, expires_at) select h, $2, $3, $3, $3 from unnest($1::bytea[]) h",
    [hashes, accountId, start],
  );
  await openSession(db, { accountId, at: start });
  await Promise.all(Array.from({ length: 4 }, () => sweep(db, after(1))));
  await sweep(db, after(1));
  expect(await count("session")).toBe(1);
});

test("an invitation a month after it ended", async () => {
  const { accountId } = await createAccount(db, { email: "eve@example.com", verified: true, at: start });
  await db.pool.query(
    `insert into invitation (id, account_id, email, email_norm, role, hash, invited_by, created_at, sent_at, expires_at)
     values (gen_random_uuid(), $1, 'new@example.com', 'new@example.com', 'viewer', $2, $1, $3, $3, $3)`,
    [accountId, makeToken("mail").hash, start],
  );
  await sweep(db, after(30 * day));
  expect(await count("invitation")).toBe(1);
  await sweep(db, after(30 * day + 1));
  expect(await count("invitation")).toBe(0);
});
