// Slots of transcriptions over two gateway processes on one database: exactly as many as the tier allows, of the capability and of all audio
// together; back when a call ends, its client disconnects, or its gateway is killed (docs/behaviour/limits.md#slots).
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { formOf, transcriber } from "../operations/transcriptions/transcription-gateway.ts";
import { wavFile } from "../simulator/audio-check.ts";
import { until } from "../support/eventually.ts";
import { checkedRequest, type SpawnedGateway, type TestReply } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { catalogFile } from "./catalog.ts";
import { openWorld, type World } from "./world.ts";
import { oneInThree } from "../support/size.ts";

/** Of transcription 3, of all audio 5. */
const tiers = highTiers({ audio_concurrent: 5, audio_concurrent_per_capability: { transcription: 3, understanding: 2, speech: 4 } });

let world: World;
let folder: string;
let env: Record<string, string>;
afterEach(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function twoGateways(): Promise<[SpawnedGateway, SpawnedGateway]> {
  folder = mkdtempSync(join(tmpdir(), "svc-slots-"));
  world = await openWorld({ models: {}, tiers });
  const providers = [{ id: "north", protocol: "openai", base_url: `${world.simulator.url}/openai/v1`, on_disconnect: "cancel" }];
  const models = [transcriber("demo/stt", ["stt"]), transcriber("demo/hanging", ["hanging+sim-hang"])];
  env = { SVC_DATA_DIR: folder, SVC_CATALOG: catalogFile(JSON.stringify({ providers, models, tiers })) };
  return Promise.all([world.start(env), world.start(env)]);
}

const form = formOf({ response_format: "json" }, wavFile(0.3));

async function transcribe({ url }: SpawnedGateway, key: string, model: string, signal?: AbortSignal): Promise<TestReply> {
  const { body, type } = await form;
  const named = Buffer.concat([part(type, model), body]);
  return checkedRequest(url, "POST", "/v1/audio/transcriptions", {
    ...{ key, body: named, headers: { "content-type": type } },
    ...(signal && { signal }),
  });
}

function part(type: string, model: string): Buffer {
  return Buffer.from(`--${type.split("boundary=")[1]}\r\ncontent-disposition: form-data; name="model"\r\n\r\n${model}\r\n`);
}

/** Calls that hang on both gateways in turn, more than there are slots, until all but those are refused. */
async function fill(gateways: readonly SpawnedGateway[], key: string, calls: number, admitted: number) {
  const controller = new AbortController();
  const refused: TestReply[] = [];
  const left: Promise<unknown>[] = [];
  for (let call = 0; call < calls; call++) {
    const asking = transcribe(gateways[call % gateways.length]!, key, "demo/hanging", controller.signal);
    left.push(asking.then((reply) => refused.push(reply)).catch(() => undefined));
  }
  await until(() => refused.length === calls - admitted, "all others are refused");
  await until(() => open() === admitted, "as many as are allowed are with the model");
  const leave = async () => {
    controller.abort();
    await Promise.all(left);
  };
  return { refused, leave };
}

const open = () => world.simulator.calls().filter(({ outcome }) => outcome === "open").length;

const onDisk = () => readdirSync(join(folder, "media-incoming"));

test("exactly three of twelve are admitted; the others are 429 audio_concurrent_limit; when they end, others are", async () => {
  const gateways = await twoGateways();
  const account = await world.createAccount("20");
  const { refused, leave } = await fill(gateways, account.key, 12, 3);
  for (const { status, headers, json } of refused) {
    expect([status, json.error.code]).toEqual([429, "audio_concurrent_limit"]);
    expect(json.error.message).toBe("All 3 concurrent audio slots for transcription are in use.");
    expect(headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true", "x-ratelimit-limit-requests": "1000000" });
    expect(headers).not.toHaveProperty("retry-after-ms");
  }
  const other = await world.createAccount("20");
  expect((await transcribe(gateways[0], other.key, "demo/stt")).status).toBe(200);
  await leave();
  await until(async () => (await world.audit()).reservations_open === 0, "the slots come back");
  for (const gateway of gateways) expect((await transcribe(gateway, account.key, "demo/stt")).status).toBe(200);
  expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
  expect(await world.balance(account)).toMatchObject({ spent: 450_000n, reserved: 0n }); // those that left are paid for too
  await until(() => onDisk().length === 0, "no recording is left");
});

test("where other audio takes up the total, it is the total that refuses", async () => {
  const gateways = await twoGateways();
  const account = await world.createAccount("20");
  await world.db.pool.query(
    `insert into hold (account_id, id, amount, owner, expires_at, pool, pool_group)
     select $1, gen_random_uuid(), 0, (select id from replica limit 1), now() + interval '1 minute', 'speech', 'audio' from generate_series(1, 3)`,
    [account.accountId],
  );
  const { refused, leave } = await fill(gateways, account.key, 6, 2);
  for (const { status, headers, json } of refused) {
    expect([status, json.error.code, headers["retry-after"]]).toEqual([429, "audio_concurrent_limit", "5"]);
    expect(json.error.message).toBe("All 5 concurrent audio slots are in use.");
  }
  await leave();
});

describe("kill -9 of a gateway", () => {
  oneInThree()("its slots come back, nothing was charged, and the next start removes its recordings", async () => {
    const [victim, survivor] = await twoGateways();
    const account = await world.createAccount("20");
    const { leave } = await fill([victim], account.key, 4, 3);
    await until(() => onDisk().length === 3, "the refused call's recording is removed");
    await victim.kill("SIGKILL");
    await leave();
    expect((await transcribe(survivor, account.key, "demo/stt")).json.error.code).toBe("audio_concurrent_limit");
    await until(async () => (await transcribe(survivor, account.key, "demo/stt")).status === 200, "the slots come back");
    expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
    expect(await world.balance(account)).toMatchObject({ spent: 90_000n, reserved: 0n });
    await until(() => onDisk().length === 3, "of the survivor's recordings none is left");
    await world.start(env);
    expect(onDisk()).toEqual([]);
  });
});
