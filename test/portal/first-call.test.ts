// The first call that /docs shows, taken off the page of a running gateway and run as it stands, in its three languages.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { interpreter } from "../clients/python/environment.ts";
import { describeWithPython } from "../clients/python/python.ts";
import { hasCurl } from "../docs/guide-shell.ts";
import { makeReaderFolder } from "../docs/reader-folder.ts";
import { runProcess } from "../docs/run-block.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { runEnvironment } from "../support/leftovers.ts";

const folder = makeReaderFolder();
let gateway: Gateway;
let page: string;
let environment: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  page = (await gateway.request("GET", "/docs.md")).text;
  const { key } = await gateway.createAccount({ deposit: "5" });
  environment = { ...runEnvironment(), HOME: process.env.HOME!, SVC_KEY: key };
});
afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

const run = (language: string, command: string, args: string[]) => {
  const code = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(page)![1]!;
  return runProcess(command, args, code, { folder: folder.path, environment });
};

test.skipIf(!hasCurl)("curl", async () => {
  expect(JSON.parse(await run("sh", "bash", ["-e"]))).toMatchObject({ object: "chat.completion", usage: { cost: expect.any(Number) } });
});

test("TypeScript", async () => {
  expect(await run("ts", process.execPath, ["--input-type=module-typescript", "-"])).toMatch(/^You said: "Hello!".* 0\.0\d+\n$/s);
});

describeWithPython("Python", () => {
  test("is answered", async () => {
    expect(await run("python", interpreter, ["-B", "-"])).toContain('You said: "Hello!"');
  });
});

describe("the call that adds credit", () => {
  test("is not shown where nobody can pay", async () => {
    expect((await gateway.request("GET", "/docs/credits.md")).text).not.toContain("/v1/credits/topup \\");
  });
});
