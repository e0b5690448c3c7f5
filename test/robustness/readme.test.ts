// The page of README.md "From sign-up to receipt, with curl", run line by line in one shell against a gateway of its own.
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { hasCurl, openShell, readmePage, type Shell } from "../support/readme-shell.ts";
import { type SpawnedGateway, spawnGateway } from "../support/spawned-gateway.ts";

let database: TestDatabase;
let gateway: SpawnedGateway;
let shell: Shell;
beforeAll(async () => {
  database = await freshDatabase();
  gateway = await spawnGateway({ DATABASE_URL: database.url });
  shell = openShell(readmePage("From sign-up to receipt, with curl"), { DATABASE_URL: database.url });
});
afterAll(async () => {
  shell.close();
  await gateway.kill("SIGTERM");
  await database.drop();
});

const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(reply)![1]);

test.skipIf(!hasCurl)("every command of the page does what the page says, in its order", async () => {
  const { next, json } = shell;
  await next("base=", { "http://127.0.0.1:8787": gateway.url });
  await next("post()");

  expect(await json("post /v1/auth/signup")).toMatchObject({ verification_required: true });
  const codeOfMail = () => /or by this code: (\d{6})/.exec(gateway.output())?.[1];
  await expect.poll(codeOfMail).toBeDefined();
  const verified = await json("post /v1/auth/verify", { "CODE OF THE MAIL": codeOfMail()! });
  expect(verified).toMatchObject({ credit_granted_usd: 0.5 });
  await next("KEY=", { "svc_…": verified.api_key, "svcs_…": verified.session_token });

  expect(await json("curl -s $base/v1/credits/balance")).toMatchObject({ balance: 0.5 });
  await next("ask()");
  expect(statusOf(await next("ask cheap"))).toBe(200);
  const refused = await next("ask best");
  expect(statusOf(refused)).toBe(402);
  expect(refused).toContain('"code":"model_requires_paid"');
  await next("npx svc account deposit");
  const answer = await next("ask best");
  expect(statusOf(answer)).toBe(200);
  const requestId = /^x-request-id: (\S+)/m.exec(answer)![1]!;

  const { data: logs } = await json("curl -s $base/v1/auth/usage/logs");
  expect(logs.map((log: { request_id: string }) => log.request_id)).toContain(requestId);
  const receipt = await json("curl -s $base/v1/usage/", { THE_X_REQUEST_ID: requestId });
  expect(receipt).toMatchObject({ request_id: requestId, ledger: [{ type: "usage" }] });
  const { data: entries } = await json("curl -s $base/v1/credits/ledger");
  expect(entries.map((entry: { type: string }) => entry.type)).toEqual(expect.arrayContaining(["usage", "purchase", "signup_bonus"]));
  expect(await json("curl -s $base/v1/auth/limits")).toMatchObject({ tier: 1, has_credits: true });

  const made = await json("post /v1/auth/keys");
  expect(made).toMatchObject({ name: "laptop", limit_usd: 5 });
  expect((await json("curl -s $base/v1/auth/keys")).data).toHaveLength(2);
  expect(await json("curl -s -X PATCH", { THE_ID: made.id })).toMatchObject({ enabled: false });
  expect(await json("curl -s -X DELETE", { THE_ID: made.id })).toMatchObject({ deleted: true, id: made.id, new_default: null });
  expect(shell.left()).toEqual([]);
});
