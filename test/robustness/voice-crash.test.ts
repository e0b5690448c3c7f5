// kill -9 of a gateway that makes a voice, at every step: it is charged for exactly when it is listed, and nothing stays held.
import { afterAll, beforeAll, expect, test } from "vitest";
import pg from "pg";
import { untilWaiting } from "../support/locks.ts";
import { quickLedger } from "../support/quick-ledger.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { catalogFile } from "./catalog.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let catalog: string;
let survivor: SpawnedGateway;
beforeAll(async () => {
  world = await openWorld({ models: {} });
  const host = (id: string, directive: string) => ({
    ...{ id, protocol: "minimax", base_url: `${world.simulator.url}/minimax` },
    headers: { "x-sim-knobs": `voice_design=${directive}` },
  });
  const designer = (id: string) => ({
    ...{ id: `demo/${id}`, type: "speech", capability: "voice-design", voice_family: "provider_b" },
    pricing: { mode: "per-call", usd_per_call: 4.2 },
    routes: [{ provider: id, model: "design" }],
  });
  const file = {
    providers: [host("hanging", "sim-hang"), host("slow", "sim-slow-3000ms")],
    models: [designer("hanging"), designer("slow")],
  };
  catalog = catalogFile(JSON.stringify(file));
  survivor = await world.start({ SVC_CATALOG: catalog, ...quickLedger });
});
afterAll(() => world.stop());

const holds = async (accountId: bigint) => (await world.db.pool.query("select 1 from hold where account_id = $1", [accountId])).rowCount;

/** Statements of another connection that stay open until they are released. */
async function locked(...statements: string[]): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  for (const statement of ["begin", ...statements]) await client.query(statement);
  return { release: () => client.end() };
}

test.each([
  ["while the provider works", "hanging", "", ""],
  ["while the voice is filed", "slow", "lock table voice in share mode", "insert into voice"],
  ["while it is charged", "slow", "select 1 from balance where account_id = ACCOUNT for update", "ledger_settle"],
])("%s", async (_, model, lock, statement) => {
  const { accountId, key } = await world.createAccount("20");
  const gateway = await world.start({ SVC_CATALOG: catalog, ...quickLedger });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: `demo/${model}`, description: "An old sailor" });
  const asked = fetch(`${gateway.url}/v1/audio/voice-design`, { method: "POST", headers, body });
  const failed = expect(asked).rejects.toThrow();
  await expect.poll(() => holds(accountId)).toBe(1);
  const blocked = await locked(...(lock === "" ? [] : [lock.replace("ACCOUNT", String(accountId))]));
  if (statement !== "") await untilWaiting(world.db, statement);
  await gateway.kill("SIGKILL");
  await failed;
  await blocked.release();
  // What waited in the database may still happen: the rest of the promise is that nothing is charged that isn't listed, and the reverse.
  await expect.poll(() => holds(accountId)).toBe(0);
  const list = await fetch(`${survivor.url}/v1/audio/voices?provider=provider_b`, { headers });
  const { data } = (await list.json()) as { data: object[] };
  const { spent } = await world.balance({ accountId });
  expect(spent).toBe(BigInt(data.length) * 420_000_000n);
  if (statement !== "ledger_settle") expect(data).toEqual([]);
  expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
});
