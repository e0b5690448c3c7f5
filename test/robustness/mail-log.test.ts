// A gateway without SMTP: what its log shows of mails, by where its database and its public address are. A mail's link signs in anyone who
// reads it.
import { afterEach, expect, test } from "vitest";
import { isTrial } from "../../src/db/hosts.ts";
import { freshDatabase } from "../support/database.ts";
import { spawnGateway } from "../support/gateway.ts";
import { openDatabaseProxy } from "./database-proxy.ts";

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

const token = /svcm_[\w-]{43}/;

/** The log from the start to the mail of a sign-up. */
async function logOfSignUp(
  addressOf: (databaseUrl: string) => string | Promise<string>,
  env: Record<string, string> = {},
): Promise<string> {
  const database = await freshDatabase();
  cleanUp.push(() => database.drop());
  const gateway = await spawnGateway({ DATABASE_URL: await addressOf(database.url), ...env });
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

function expectNoMail(log: string): void {
  expect(log).toContain("SMTP_URL is not set: no mail is sent");
  expect(log).toContain('"to":"ada@example.com"');
  expect(log).not.toMatch(token);
  expect(log).not.toMatch(/by this code/);
}

test("a database elsewhere: a warning at the start, and no mail's text", async () => {
  const log = await logOfSignUp(async (databaseUrl) => {
    const proxy = await openDatabaseProxy(databaseUrl);
    cleanUp.push(() => proxy.close());
    return proxy.url.replace("127.0.0.1", "0.0.0.0"); // leads to this machine, and does not look like it
  });
  expectNoMail(log);
});

test("a database on this machine, or a pooler, of a gateway with a public address: a warning at the start, and no mail's text", async () => {
  expectNoMail(await logOfSignUp((databaseUrl) => databaseUrl, { SVC_PUBLIC_URL: "https://gateway.example" }));
});

test.each([
  ["no public address", {}],
  ["a local public address", { SVC_PUBLIC_URL: "http://localhost:8787" }],
])("a database on this machine and %s: a warning at the start, and the mail as it is", async (_, env) => {
  const log = await logOfSignUp((databaseUrl) => databaseUrl, env);
  expect(log).toContain("SMTP_URL is not set: mails are printed to this log");
  expect(log).toMatch(token);
});

test.each<[databaseUrl: string | null, publicUrl: string | null, isOne: boolean]>([
  [null, null, true],
  [null, "https://gateway.example", true],
  ["postgres:///svc", null, true],
  ["postgres:///svc?host=/run/postgresql", "http://127.0.0.1:8787", true],
  ["postgres://svc@localhost/svc", "http://localhost/ai", true],
  ["postgres://svc@[::1]:5432/svc", "http://[::1]:8787", true],
  ["postgres://svc@127.0.0.1/svc", "http://10.0.0.4:8787", false],
  ["postgres://svc@127.0.0.1/svc", "https://127.0.0.1.gateway.example", false],
  ["postgres://svc@127.0.0.1,10.0.0.4/svc", null, false],
  ["postgres://svc@10.0.0.4/svc", "http://127.0.0.1:8787", false],
])("mails are printed with the database %s at the public address %s: %s", (databaseUrl, publicUrl, isOne) => {
  expect(isTrial({ databaseUrl, publicUrl })).toBe(isOne);
});
