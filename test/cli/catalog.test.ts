// `svc catalog check`, and the tier that `svc account show` takes from a catalog.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { callSvc, runSvc } from "./run-svc.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "svc-catalog-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const good = `providers:
  - { id: north, protocol: openai, base_url: http://127.0.0.1:9001/v1 }
models:
  - id: demo/chat
    type: language
    pricing: { mode: per-token, input: 0.5, output: 1.5 }
    routes: [{ provider: north, model: upstream }]
`;

function fileOf(text: string): string {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(path, text);
  return path;
}

describe("svc catalog check", () => {
  test("a good file: counts, no problems, 0", async () => {
    const ran = await runSvc({}, ["catalog", "check", fileOf(good), "--json"]);
    expect(ran.json()).toEqual({ models: 1, providers: 1, problems: [], warnings: [] });
    expect(ran.status).toBe(0);
  });

  test("every fault with its line, and 1", async () => {
    const path = fileOf(good.replace("provider: north", "provider: south").replace("protocol: openai", "protocol: opnai"));
    const ran = await callSvc({}, ["catalog", "check", path, "--json"]);
    expect(ran.status).toBe(1);
    const { problems } = ran.json() as { problems: { line: number; message: string }[] };
    expect(problems[0]).toEqual({ line: 2, message: expect.stringContaining("protocol") });
    const plain = await callSvc({}, ["catalog", "check", path]);
    expect(plain.stdout).toContain(`${path}:2: `);
  });

  test("a file that is not there is refused with 1", async () => {
    expect(await callSvc({}, ["catalog", "check", join(folder, "none.yaml"), "--json"])).toMatchObject({ status: 1, stdout: "" });
  });
});

describe("tier", () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await freshDatabase()));
  afterAll(() => database.drop());

  test("follows the money ever purchased, by the shipped matrix or the catalog's own rows", async () => {
    const svc = (env: Record<string, string>, ...words: string[]) => callSvc({ DATABASE_URL: database.url, ...env }, [...words, "--json"]);
    const created = await svc({}, "account", "create", "--email", "tier@example.com", "--credit", "100");
    const id = created.json().account_id as string;
    const tierIn = async (env: Record<string, string>) => (await svc(env, "account", "show", id)).json().tier;
    expect(await tierIn({})).toBe(0); // a credit is earned, not purchased
    await svc({}, "account", "deposit", id, "5");
    expect(await tierIn({})).toBe(1);
    const rows = [0, 1, 2, 3, 4].map((tier) => `  - { tier: ${tier}, name: T${tier}, min_deposit: ${tier * 2} }`);
    expect(await tierIn({ SVC_CATALOG: fileOf(`${good}tiers:\n${rows.join("\n")}\n`) })).toBe(2);
  });
});
