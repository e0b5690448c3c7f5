// The edge alone on a real socket: a Context whose accounts are plain values, handlers that the test gives, log lines kept.
import { connect, type Socket } from "node:net";
import { pino } from "pino";
import { type OperationId, operations } from "../../generated/operations.ts";
import { understandAudio } from "../../handlers/understand-audio.ts";
import type { Caller } from "../../src/accounts/caller.ts";
import { readShippedCatalog } from "../../src/catalog/load.ts";
import { systemClock } from "../../src/clock.ts";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { openTempFiles } from "../../src/media/temp-files.ts";
import type { Ask } from "../../src/calls/ask.ts";
import type { Handler, Handlers, Reply, Request } from "../../src/operation.ts";
import { createServer } from "../../src/server/http.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";

export type TestHandler = ((context: Context, request: Request, ask: Ask) => unknown) & Pick<Handler, "beforeBody" | "checkFile">;

export interface EdgeUnderTest {
  port: number;
  url: string;
  logs: Record<string, unknown>[];
  undeclared: string[];
  close: (graceMs?: number, keepsIdle?: boolean) => Promise<void>;
  hasten: (graceMs: number) => void;
}

export const goodKey = "svc_good";
export const auth = { authorization: `Bearer ${goodKey}` };

const caller = { purchased: 0n, assignedTier: null, suspended: false, storesResponses: false, policy: null, session: null };
export const callers: Record<string, Caller> = {
  [goodKey]: { ...caller, accountId: 7n, keyId: 1n },
  svc_suspended: { ...caller, accountId: 8n, keyId: 2n, suspended: true },
  svcs_session: { ...caller, accountId: 7n, keyId: null },
};

interface Options extends Partial<Pick<Parameters<typeof createServer>[0], "unready" | "limits">> {
  handlers?: Partial<Record<OperationId, TestHandler>>;
  publicUrl?: string;
  payments?: Context["payments"];
  env?: Record<string, string>;
  /** Where files of forms come to lie; without it no form can be sent. */
  filesFolder?: string;
  /** Awaited by each look-up of a key or session, and by each limit that asks the database. */
  lookUp?: (credential: string) => Promise<unknown>;
}

export async function startEdge({
  handlers = {},
  publicUrl,
  payments = null,
  env,
  filesFolder,
  lookUp = async () => undefined,
  ...parts
}: Options = {}): Promise<EdgeUnderTest> {
  const logs: Record<string, unknown>[] = [];
  const undeclared: string[] = [];
  const find = async (credential: string) => {
    await lookUp(credential);
    return callers[credential];
  };
  const context = {
    config: readConfig({ SVC_PUBLIC_URL: publicUrl, ...env }),
    clock: systemClock,
    log: pino({ level: "trace" }, { write: (line: string) => void logs.push(JSON.parse(line) as Record<string, unknown>) }),
    accounts: { recallKey: () => undefined, authenticateKey: find, authenticateSession: find },
    catalog: readShippedCatalog(),
    payments,
    media: filesFolder === undefined ? undefined : { withTempFile: await openTempFiles(filesFolder) },
    limits: { assertWithin: async ({ bucket }: { bucket: string }) => void (await lookUp(bucket)), assertBelowCeiling: () => undefined },
  } as unknown as Context;
  // It refuses before a body is read: nothing else of the edge is declared for it.
  const retired: Record<string, unknown> = { understandAudio };
  const all = Object.fromEntries(
    Object.values(operations).map(({ id }) => [id, handlers[id] ?? retired[id] ?? (() => ({ status: 200, body: { operation: id } }))]),
  );
  const onUndeclared = (operationId: string, code: string) => void undeclared.push(`${operationId} ${code}`);
  const server = await createServer({
    context,
    handlers: all as unknown as Handlers,
    unready: async () => null,
    metrics: createMetrics(),
    onUndeclared,
    ...parts,
  });
  const { port } = await server.listen(0, "127.0.0.1");
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    logs,
    undeclared,
    close: (graceMs = 2_000, keepsIdle = false) => server.close(graceMs, keepsIdle),
    hasten: server.hasten,
  };
}

export const json = (body: unknown): Reply => ({ status: 200, body }) as unknown as Reply;

export const chat = { model: "demo/chat", messages: [{ role: "user", content: "hello" }] };

/** What the tests look at in a body. */
export interface Body {
  error: { message: string; type: string; code: string; param: string | null; [key: string]: unknown };
  available_endpoints: string[];
  openapi: string;
  [key: string]: unknown;
}

/** A fetch whose body is read as JSON. */
export async function call(edge: EdgeUnderTest, path: string, init: RequestInit & { json?: unknown } = {}) {
  const { json: value, ...rest } = init;
  const sent =
    value === undefined
      ? rest
      : {
          ...rest,
          method: rest.method ?? "POST",
          body: JSON.stringify(value),
          headers: { "content-type": "application/json", ...rest.headers },
        };
  const response = await fetch(edge.url + path, sent);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: (text.startsWith("{") ? JSON.parse(text) : {}) as Body };
}

/** A bare connection: what arrives is collected, `until` waits for a text, `ended` for the server's end. */
export async function openSocket(port: number) {
  const socket: Socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let received = "";
  let failure: Error | null = null;
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  socket.on("error", (error) => (failure = error));
  const over = new Promise<void>((resolve) => socket.once("end", resolve).once("close", () => resolve()));
  return {
    socket,
    received: () => received,
    failure: () => failure,
    send: (text: string | Buffer) => new Promise<void>((resolve) => socket.write(text, () => resolve())),
    until: async (text: string) => {
      while (!received.includes(text))
        await new Promise((resolve) => socket.once("data", resolve).once("close", resolve).once("end", resolve));
      return received;
    },
    ended: async () => {
      await over;
      return received;
    },
  };
}

export function head(method: string, path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ host: "edge", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Waits for something that another turn of the loop brings about. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
