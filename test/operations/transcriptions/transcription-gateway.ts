// A gateway for tests of POST /v1/audio/transcriptions: a catalog of transcription models, forms with a recording, and a host with recordings
// at addresses. After each file the ledger must audit clean, and no recording may be left on disk.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { ca, type FileServer, type Serve, startFileServer } from "../../media/file-server.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, type NewAccountOptions, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { type LogRow, provider } from "../chat/chat-gateway.ts";

export interface TranscriptionWorld {
  readonly gateway: Gateway;
  /** With a deposit of 20 USD by default. */
  account(options?: NewAccountOptions): Promise<TestAccount>;
  /** Mode 1: `file` in a form, by default 61.5 seconds of noise; null: without a file. */
  send(account: Pick<TestAccount, "key">, fields: Record<string, string>, file?: Buffer | null, options?: SendOptions): Promise<TestReply>;
  /** Mode 2: a recording at an address, by default the same one. */
  fetch(account: Pick<TestAccount, "key">, body: object, options?: SendOptions): Promise<TestReply>;
  /** Serves bytes, or as `serve` says, at an address that is returned. */
  publish(file: Buffer | Serve): string;
  readonly files: FileServer;
  /** The usage log's row of a reply's request; undefined: it was never admitted. */
  logOf(reply: TestReply): Promise<LogRow | undefined>;
  receiptOf(account: Pick<TestAccount, "key">, reply: TestReply): Promise<any>;
  /** Forms that the simulator got since the test began: upstream model and fields, without the file. */
  sent(): Record<string, string>[];
  /** Balance, holds and spending are as before any request. */
  expectUntouched(account: TestAccount, balance?: number): Promise<void>;
  /** Soon after an answer its recording is deleted. */
  expectNothingOnDisk(): Promise<void>;
  /** Names of the files that requests have on disk right now. */
  onDisk(): string[];
  bytesOnDisk(): number;
}

interface SendOptions {
  /** The operation of the form, by default transcriptions. */
  path?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** Two minutes, when billed. */
export const recording = wavFile(61.5);

/** Of the model that is asked, of a cheaper secondary and a dearer tertiary: USD per minute. */
export const perMinute = { asked: 0.0009, second: 0.0004, third: 0.003 };

/** `routes`: upstream ids, the first at provider north, the second at south, the third at west. */
export function transcriber(id: string, routes: string[], more: object = {}): object {
  const providers = ["north", "south", "west"];
  return {
    id,
    type: "transcription",
    pricing: { mode: "per-minute", usd_per_minute: perMinute.asked, min_billable_minutes: 1 },
    routes: routes.map((model, index) => ({ provider: providers[index], model })),
    ...more,
  };
}

export function priced(usd: number, min = 1): object {
  return { pricing: { mode: "per-minute", usd_per_minute: usd, min_billable_minutes: min } };
}

export function transcriptionWorld(
  models: object[],
  file: object = {},
  options: Parameters<typeof startGateway>[0] = {},
): TranscriptionWorld {
  let gateway: Gateway;
  let files: FileServer;
  const folder = mkdtempSync(join(tmpdir(), "svc-transcription-"));
  const published = new Map<string, Serve>();
  const catalog = JSON.stringify({
    ...{ providers: ["north", "south", "west"].map((id) => provider(id)), models, tiers: highTiers(slots), ...file },
  });
  beforeAll(async () => {
    const env = { SVC_DATA_DIR: folder, SVC_ALLOW_PRIVATE_URLS: "1", ...options.env };
    gateway = await startGateway({ ...options, env, media: { ca, ...options.media }, catalog });
    files = await startFileServer((req, res) => {
      const serve = published.get(req.url!);
      if (serve === undefined) res.writeHead(404).end();
      else serve(req, res);
    });
  });
  afterEach(() => gateway.simulator.reset());
  afterAll(async () => {
    const audited = await gateway.audit();
    const left = world.onDisk();
    await gateway.stop();
    await files.close();
    rmSync(folder, { recursive: true, force: true });
    expect(audited).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
    expect(left).toEqual([]);
  });
  const world: TranscriptionWorld = {
    get gateway() {
      return gateway;
    },
    get files() {
      return files;
    },
    account: (options = { deposit: "20" }) => gateway.createAccount(options),
    async send({ key }, fields, file = recording, { path = "/v1/audio/transcriptions", headers, signal } = {}) {
      const { body, type } = await formOf(fields, file);
      return gateway.request("POST", path, { key, body, headers: { "content-type": type, ...headers }, ...(signal && { signal }) });
    },
    fetch({ key }, body, { headers = {}, signal } = {}) {
      const address = "audio_url" in body ? {} : { audio_url: world.publish(recording) };
      return gateway.request("POST", "/v1/audio/transcriptions", {
        key,
        body: { ...address, ...body },
        headers,
        ...(signal && { signal }),
      });
    },
    publish(file) {
      const name = `/${published.size}/recording`;
      published.set(name, typeof file === "function" ? file : (_, res) => void res.end(file));
      return `https://localhost:${files.port}${name}`;
    },
    async logOf(reply) {
      const query = "select * from usage_log where request_id = $1";
      const { rows } = await gateway.context.db.pool.query<LogRow>(query, [reply.headers["x-request-id"]]);
      expect(rows.length).toBeLessThanOrEqual(1);
      return rows[0];
    },
    async receiptOf({ key }, reply) {
      const { status, json } = await gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key });
      expect(status).toBe(200);
      return json;
    },
    sent: () =>
      gateway.simulator.calls().map(({ parts }) => {
        const texts = (parts ?? []).filter(({ text }) => text !== null).map(({ name, text }) => [name, text!]);
        return Object.fromEntries(texts) as Record<string, string>;
      }),
    async expectUntouched(account, balance = 20) {
      expect(await gateway.balance(account)).toEqual({ balance, reserved: 0, spent: 0 });
    },
    expectNothingOnDisk: () => eventually(() => expect(world.onDisk()).toEqual([])),
    onDisk: () => readdirSync(join(folder, "media-incoming")),
    bytesOnDisk: () =>
      readdirSync(join(folder, "media-incoming")).reduce((all, name) => all + statSync(join(folder, "media-incoming", name)).size, 0),
  };
  return world;
}

/** More than any other test sends at once. */
const slots = { audio_concurrent: 100, audio_concurrent_per_capability: { transcription: 100, understanding: 100, speech: 100 } };

/** A form as browsers and SDKs write it; the file first. */
export async function formOf(fields: Record<string, string>, file: Buffer | null): Promise<{ body: Buffer; type: string }> {
  const form = new FormData();
  if (file !== null) form.append("file", new Blob([new Uint8Array(file)]), "recording.wav");
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const written = new Response(form);
  return { body: Buffer.from(await written.arrayBuffer()), type: written.headers.get("content-type")! };
}

/** Resolves when the request is over, also after a disconnect. */
export async function settled(world: TranscriptionWorld, { accountId }: TestAccount): Promise<LogRow> {
  return eventually(async () => {
    const { rows } = await world.gateway.context.db.pool.query<LogRow>("select * from usage_log where account_id = $1", [accountId]);
    expect(rows).toHaveLength(1);
    return rows[0]!;
  });
}
