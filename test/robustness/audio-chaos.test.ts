// Speech, music, sounds, transcriptions and voices over two gateways on one database: nothing lost, doubled or invented while gateways are
// killed, connections to Postgres cut and clients gone in every way (docs/behaviour/ledger.md#invariants, billing.md#ends).
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { setSuspended } from "../../src/accounts/admin.ts";
import { parseUsd } from "../../src/money.ts";
import { sentence } from "../operations/speech/speech-gateway.ts";
import { until } from "../support/eventually.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { askAudio, type AudioHeard, type Leaving } from "./audio-client.ts";
import { type AudioWorld, fewSlots, json, music, openAudioWorld, type Said, speech } from "./audio-world.ts";
import { oneInThree } from "../support/size.ts";

let world: AudioWorld;
beforeAll(async () => void (world = await openAudioWorld()));
afterAll(() => world.stop());

interface Told extends AudioHeard {
  said: Said;
  leave: Leaving | undefined;
  url: string;
  /** Its gateway was killed before this answer ended. */
  killed: boolean;
}

oneInThree()("nothing is lost, doubled or invented", async () => {
  const gateways: SpawnedGateway[] = await Promise.all([world.startWith(fewSlots), world.startWith(fewSlots)]);
  const accounts = await Promise.all(["300", "300", "0.2", "300", "300"].map((deposit) => world.createAccount(deposit)));
  const [, , , limited, suspended] = accounts;
  const kinds = [
    ...[speech("a"), speech("b"), json("speech", { model: "demo/b", input: sentence }), speech("a-cut"), speech("b-error")],
    ...[
      music("score"),
      music("score", "?save_to_blob=1"),
      music("song"),
      json("sfx?save_to_blob=1", { model: "demo/sound", prompt: "rain" }),
    ],
    ...[world.inForm("stt"), world.inForm("stt-failing"), world.atAddress("stt"), world.atAddress("stt-failing")],
    json("voice-design", { model: "demo/design", description: "An old sailor" }),
  ];
  const outcomes: Told[] = [];
  const killed = new Set<string>();
  let over = false;
  let turn = 0;
  const load = Promise.all(accounts.flatMap(({ key }) => Array.from({ length: 3 }, () => asking(key))));

  await sleep(2_500);
  await cutConnections();
  await world.db.pool.query("update key_budget set limit_amount = spent + 30000 where account_id = $1", [limited!.accountId]);
  await sleep(1_500);
  await kill(0);
  gateways[0] = await world.startWith(fewSlots);
  await setSuspended(world.db, suspended!.accountId, new Date());
  await sleep(2_000);
  const ending = gateways[1]!;
  gateways[1] = await world.startWith(fewSlots);
  expect(await ending.kill("SIGTERM")).toBe(0);
  await cutConnections();
  await sleep(1_500);
  await kill(0);
  gateways[0] = await world.startWith(fewSlots);
  await sleep(1_500);
  await until(() => kindsServed.every((kind) => wholes(kind) > 3), "calls of each kind are answered");
  over = true;
  await load;
  await world.expectClean();
  await until(() => world.simulator.calls().every(({ outcome }) => outcome !== "open"), "no upstream call is left");
  await agree();

  function wholes(path: string): number {
    return outcomes.filter(({ said, status, outcome }) => said.path.split("?")[0] === path && status === 200 && outcome === "whole").length;
  }
  async function asking(key: string): Promise<void> {
    while (!over) {
      turn += 1;
      const said = kinds[turn % kinds.length]!;
      const { url } = gateways[Math.floor(Math.random() * 2)]!;
      const leave = Math.random() < 0.3 ? anyLeaving() : undefined;
      const heard = await askAudio({ ...said, url, key, ...(leave && { leave }) });
      outcomes.push({ ...heard, said, leave, url, killed: killed.has(url) });
      if (heard.status !== 200) await sleep(60);
    }
  }
  async function kill(index: number): Promise<void> {
    killed.add(gateways[index]!.url);
    await gateways[index]!.kill("SIGKILL");
  }
  async function agree(): Promise<void> {
    const { rows } = await world.db.pool.query<{
      request_id: string;
      operation: string;
      status: string;
      cost: bigint;
      http_status: number;
    }>("select * from usage_log");
    const logged = new Map(rows.map((row) => [row.request_id, row]));
    expect(logged.size).toBe(rows.length);
    const faults: unknown[] = [];
    for (const one of outcomes) {
      if (one.outcome === "left") one.killed = killed.has(one.url); // it settles after its caller left, unless its gateway is killed first
      const row = logged.get(one.headers["x-request-id"] ?? "");
      const verdict = faultOf(one, row);
      const kind = `${one.said.path.split("?")[0]} ${one.status} ${one.outcome}`;
      if (verdict !== null)
        faults.push({ verdict, kind, body: one.said.body.toString().slice(0, 90), row, killed: one.killed, leave: one.leave });
    }
    expect(faults).toEqual([]);
    expect((await world.db.pool.query("select account_id, available from balance where available < 0")).rows).toEqual([]);
    // A voice is listed exactly where it was paid for, and what was kept and paid for is there.
    const { rows: voices } = await world.db.pool.query(
      `select l.id from usage_log l where l.operation = 'designVoice' and l.cost > 0
         and not exists (select 1 from voice v where v.call_id = l.id)`,
    );
    expect(voices).toEqual([]);
    for (const { status, outcome, said, bytes } of outcomes) {
      if (status !== 200 || outcome !== "whole" || !said.path.includes("save_to_blob")) continue;
      const { url } = JSON.parse(bytes.toString()) as { url: string };
      expect((await fetch(new URL(new URL(url).pathname, gateways[0]!.url))).status).toBe(200);
    }
    expect(
      readdirSync(world.folder, { recursive: true })
        .map(String)
        .filter((name) => name.includes("incoming/")),
    ).toEqual([]);
  }
});

const kindsServed = ["speech", "music", "sfx", "transcriptions", "voice-design"];

const anyLeaving = (): Leaving => ({
  after: [sleep(Math.random() * 250), 0, 1, 2_000][Math.floor(Math.random() * 4)]!,
  reset: Math.random() < 0.5,
});

/** Null: the answer and the books agree. */
function faultOf(
  { status, headers, bytes, outcome, killed }: Told,
  row: { status: string; cost: bigint; http_status: number } | undefined,
) {
  if (status === 0) return null;
  if (status !== 200) return row === undefined || (row.status === "failed" && row.cost === 0n) ? null : "refused and charged";
  const said = headers["x-svc-cost-usd"];
  const cost = said === undefined ? (row?.cost ?? 0n) : parseUsd(said)!;
  if (outcome === "whole") {
    if (row?.status !== "success") return "whole and not logged as a success";
    return row.cost === cost ? null : "another price than was said";
  }
  if (killed) return row === undefined || row.cost === 0n || row.cost === cost ? null : "another price than was said";
  if (row === undefined) return "not logged";
  if (outcome === "broken") return row.status === "failed" && row.cost === 0n ? null : "broken off and charged";
  if (row.status === "failed") return row.cost === 0n ? null : "failed and charged";
  if (row.cost !== cost && row.cost !== 0n) return "another price than was said";
  return row.cost === 0n && cost > 0n && bytes.length > 0 ? "heard for nothing" : null;
}

async function cutConnections(): Promise<void> {
  await world.db.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'svc%' and pid <> pg_backend_pid()",
  );
}
