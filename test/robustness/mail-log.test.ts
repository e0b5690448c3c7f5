// A gateway without SMTP: what its log shows of mails, by where its database is. A mail's link signs in anyone who reads it.
import { afterEach, expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { spawnGateway } from "../support/gateway.ts";
import { openDatabaseProxy } from "./database-proxy.ts";

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

const token = /svcm_[\w-]{43}/;

/** The log from the start to the mail of a sign-up. */
async function logOfSignUp(addressOf: (databaseUrl: string) => string | Promise<string>): Promise<string> {
  const database = await freshDatabase();
  cleanUp.push(() => database.drop());
  const gateway = await spawnGateway({ DATABASE_URL: await addressOf(database.url) });
  cleanUp.push(() => gateway.kill("SIGTERM"));
  const reply = await fetch(`${gateway.url}/v1/auth/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com", password: "correct horse battery" }),
  });
  expect(reply.status).toBe(201);
  await expect.poll(() => gateway.output()).toMatch(/Verify your address/);
  return gateway.output();
}

test("a database elsewhere: a warning at the start, and no mail's text", async () => {
  const log = await logOfSignUp(async (databaseUrl) => {
    const proxy = await openDatabaseProxy(databaseUrl);
    cleanUp.push(() => proxy.close());
    return proxy.url.replace("127.0.0.1", "0.0.0.0"); // leads to this machine, and does not look like it
  });
  expect(log).toContain("SMTP_URL is not set: no mail is sent");
  expect(log).toContain('"to":"ada@example.com"');
  expect(log).not.toMatch(token);
  expect(log).not.toMatch(/by this code/);
});

test("a database on this machine: a warning at the start, and the mail as it is", async () => {
  const log = await logOfSignUp((databaseUrl) => databaseUrl);
  expect(log).toContain("SMTP_URL is not set: mails are printed to this log");
  expect(log).toMatch(token);
});
