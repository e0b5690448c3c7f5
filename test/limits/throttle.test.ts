// Attempts by callers without an account: limited by minute and subject over all replicas, with the subject stored only as a hash.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { createLimits, type Limits } from "../../src/limits/limits.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { awayFromMinuteEdge } from "./counted-database.ts";

let database: TestDatabase;
let dbs: Db[];
let replicas: Limits[];
beforeAll(async () => {
  database = await freshDatabase();
  dbs = [connect(database.url, { max: 3 }), connect(database.url, { max: 3 })];
  replicas = dbs.map((db) => createLimits(db, () => undefined));
});
beforeEach(() => awayFromMinuteEdge());
afterAll(async () => {
  for (const limits of replicas) await limits.close();
  for (const db of dbs) await db.close();
  await database.drop();
});

const tries = (count: number, what: string, subject: string, perMinute: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => replicas[n % 2]!.throttle(what, subject, perMinute)));
const passed = (settled: PromiseSettledResult<void>[]) => settled.filter(({ status }) => status === "fulfilled").length;

describe("throttle", () => {
  test("exactly so many of 60 over two replicas, the rest fail with rate_limit_exceeded", async () => {
    const settled = await tries(60, "sign-in", "one@example.com", 10);
    expect(passed(settled)).toBe(10);
    const refused = settled.find((one) => one.status === "rejected") as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: "rate_limit_exceeded", details: { text: { limit: "10 per minute" } } });
  });

  test("each subject and each purpose by itself", async () => {
    await tries(10, "sign-in", "two@example.com", 5);
    expect(passed(await tries(10, "sign-in", "three@example.com", 5))).toBe(5);
    expect(passed(await tries(10, "mail", "two@example.com", 5))).toBe(5);
  });

  test("stores no address in clear text", async () => {
    await tries(1, "sign-in", "secret@example.com", 5);
    const { rows } = await dbs[0]!.pool.query<{ bucket: string }>("select bucket from rate_window");
    expect(rows.filter(({ bucket }) => bucket.includes("@"))).toEqual([]);
  });

  test("503 overloaded where the database is unavailable", async () => {
    const gone = connect("postgres://nobody@127.0.0.1:1/none", { max: 1 });
    const limits = createLimits(gone, () => undefined);
    await expect(limits.throttle("sign-in", "x", 5)).rejects.toMatchObject({ code: "overloaded" });
    await limits.close();
    await gone.close();
  });
});
