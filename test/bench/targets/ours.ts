// The gateway as `npm start` runs it: limits, money and log on.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAccount } from "../../../src/accounts/admin.ts";
import { connect } from "../../../src/db/connect.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { highTiers } from "../../support/tiers.ts";
import { type Ground, targetCore } from "../ground.ts";
import { childrenOf, endChild, startChild } from "../processes.ts";
import type { Target } from "./types.ts";

/** USD per million tokens: whole units of 1e-8 USD per token, so that nothing is rounded. */
export const prices = { input: 0.5, output: 1.5 };
/** How the mock behaves for each: mock/answers.ts. */
export const modelIds = ["mock-0-200-0", "mock-20-200-0", "mock-0-100-100"];
/** Its jobs fail, since the mock makes no images; they only have to exist. */
export const imageModel = "mock-image";
const deposit = parseUsd("1000000") as bigint;

let started = 0;

export const ours: Target = {
  name: "ours",
  title: "ours (npm start)",
  async start(ground, { inspect, workers, accounts, pinned, env: more }) {
    const number = ++started;
    const databaseUrl = await ground.createDatabase(`bench_${number}`);
    const logFile = ground.newLog("ours");
    const owner = `ours-${number}`;
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      SVC_CATALOG: writeCatalog(ground, owner),
      SVC_DATA_DIR: ground.folder,
      PORT: "0",
      SVC_WORKERS: String(workers),
      ...more,
    };
    const args = [...(inspect ? ["--inspect=127.0.0.1:0"] : []), "bin/svc.js", "start"];
    const core = pinned ? targetCore : "any";
    const child = await startChild(args, /gateway ready (http:\S+)/, { env, core, logFile });
    return {
      name: "ours",
      owner,
      url: child.found,
      pids: () => [child.pid, ...childrenOf(child.pid)],
      logFile,
      headers: {},
      keys: await createKeys(databaseUrl, accounts),
      ledger: { databaseUrl },
      stop: () => endChild(child.process),
    };
  },
};

function writeCatalog({ folder, mockUrl }: Ground, owner: string): string {
  const path = join(folder, `${owner}.yaml`);
  const models = modelIds.map((id) => ({
    id,
    type: "language",
    context_window: 20_000_000,
    max_output_tokens: 4096,
    pricing: { mode: "per-token", ...prices },
    routes: [{ provider: "up", model: id }],
  }));
  const image = {
    id: imageModel,
    type: "image",
    pricing: { mode: "per-image", usd_per_image: 0.01 },
    routes: [{ provider: "pictures", model: "x" }],
  };
  const providers = [
    { id: "up", protocol: "openai", base_url: `${mockUrl}/${owner}/v1` },
    { id: "pictures", protocol: "fal", base_url: `${mockUrl}/pictures` },
  ];
  writeFileSync(path, JSON.stringify({ providers, tiers: highTiers(), models: [...models, image] })); // YAML enough
  return path;
}

async function createKeys(databaseUrl: string, accounts: number): Promise<string[]> {
  const db = connect(databaseUrl, { max: 4 });
  const at = new Date();
  const keys: string[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const { accountId, apiKey } = await createAccount(db, { email: `bench-${index}@bench.test`, verified: true, at });
    await postEntry(db, { accountId, kind: "deposit", amount: deposit, ref: "bench", at });
    keys.push(apiKey);
  }
  await db.close();
  return keys;
}
