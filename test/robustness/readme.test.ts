// The page of README.md "From sign-up to receipt, with curl", run line by line in one shell against a gateway of its own.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { type SpawnedGateway, spawnGateway } from "../support/spawned-gateway.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = /^## From sign-up to receipt, with curl\n.*?```sh\n(.*?)```/ms.exec(readFileSync(`${root}/README.md`, "utf8"))![1]!;
const lines = page.split("\n").filter((line) => line !== "");

let database: TestDatabase;
let gateway: SpawnedGateway;
let shell: ChildProcess;
beforeAll(async () => {
  database = await freshDatabase();
  gateway = await spawnGateway({ DATABASE_URL: database.url });
  shell = spawn("bash", { cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: database.url } });
});
afterAll(async () => {
  shell.kill();
  await gateway.kill("SIGTERM");
  await database.drop();
});

/** The next line of the page, which begins like that, with its placeholders filled in; resolves to what it prints. */
async function next(beginning: string, placeholders: Record<string, string> = {}): Promise<string> {
  let line = lines.shift()!;
  expect(line.startsWith(beginning), `${beginning} is not where it was: ${line}`).toBe(true);
  for (const [placeholder, value] of Object.entries(placeholders)) {
    expect(line).toContain(placeholder);
    line = line.replace(placeholder, () => value);
  }
  const end = `end of line ${lines.length}`;
  shell.stdin!.write(`${line}\necho; echo ${end}\n`);
  let printed = "";
  for await (const chunk of shell.stdout!.iterator({ destroyOnReturn: false })) {
    printed += chunk as Buffer;
    if (printed.endsWith(`${end}\n`)) break;
  }
  return printed.slice(0, -`\n${end}\n`.length);
}

const json = async (...line: Parameters<typeof next>) => JSON.parse(await next(...line)) as Record<string, any>;
const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(reply)![1]);

/** A machine may be new: the page is about curl, and nothing else here needs it. */
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)("every command of the page does what the page says, in its order", async () => {
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
  expect(lines).toEqual([]);
});
