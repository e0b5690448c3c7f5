// The simulator: one node:http server that stands in for every provider, steered by the upstream model id.
// Owns the server, the routing by path prefix and the memory of plans; answers belong to the protocols, sending to send.ts.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { anthropic } from "./anthropic/anthropic.ts";
import { openAzure } from "./azure/azure.ts";
import { bedrock } from "./bedrock/bedrock.ts";
import { accessKeyId, secretAccessKey } from "./bedrock/signature.ts";
import { type CallRecord, type EndedCall, type OpenCall, recordCalls, type SimulatorCall, type SimulatorCounters } from "./calls.ts";
import { cohere } from "./cohere/cohere.ts";
import { elevenlabs } from "./elevenlabs/elevenlabs.ts";
import { openFal } from "./fal/fal.ts";
import { gemini } from "./gemini/gemini.ts";
import type { Directives } from "./directive-list.ts";
import { withoutFaults } from "./directives.ts";
import { openMinimax } from "./minimax/minimax.ts";
import { openai } from "./openai/openai.ts";
import { jsonReply, type LiveOperation, type Operation, type Plan, type SimulatorProtocol } from "./protocol.ts";
import { type Refusal, Refused } from "./request-fields.ts";
import { rerank } from "./rerank/rerank.ts";
import { sendPlan } from "./send.ts";
import { openVertex, serviceAccount } from "./vertex/vertex.ts";

export type { SimulatorCall, SimulatorCounters } from "./calls.ts";

export interface Simulator {
  /** http://HOST:PORT */
  url: string;
  port: number;
  /** The last 500 calls, oldest first. */
  calls(): SimulatorCall[];
  counters(): SimulatorCounters;
  /** Forgets calls and counters, and lets flaky models fail anew; work in a queue goes on. */
  reset(): void;
  /** Ends every connection, the hanging ones too. */
  close(): Promise<void>;
}

interface World {
  protocols: readonly SimulatorProtocol[];
  record: CallRecord;
  /** How often each flaky model id has been called. */
  flakyCalls: LRUCache<string, number>;
  plans: LRUCache<string, Plan>;
  sockets: Set<Socket>;
}

/** Bodies of a bench or of a retry are small; larger ones are answered anew each time. */
const plannedBodyBytesMax = 16 * 1024;
/** All remembered plans together, and one of them. */
const plansBytesMax = 32 * 1024 * 1024;
const planBytesMax = 1024 * 1024;
/** Where a test in another process reads and resets the record. */
const recordPath = "/__sim/calls";

interface SimulatorOptions {
  port?: number;
  host?: string;
  /** Told of every call that ends. */
  onEnd?: (call: EndedCall) => void;
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? "127.0.0.1";
  const world: World = {
    protocols: openProtocols(),
    record: recordCalls(options.onEnd),
    flakyCalls: new LRUCache({ max: 10_000 }),
    plans: new LRUCache({
      maxSize: plansBytesMax,
      maxEntrySize: planBytesMax,
      sizeCalculation: ({ bytes }) => bytes + plannedBodyBytesMax,
    }),
    sockets: new Set(),
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void serve(world, request, response));
  server.on("connection", (socket) => {
    world.sockets.add(socket);
    socket.on("close", () => world.sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port ?? 0, host }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    calls: () => world.record.calls(),
    counters: () => readCounters(world),
    reset: () => reset(world),
    close: async () => {
      const closed = [once(server, "close"), ...[...world.sockets].map((socket) => once(socket, "close"))];
      server.close();
      server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0]!;
  if (path === recordPath) return serveRecord(world, request, response);
  const call = world.record.open(request);
  response.on("close", () => call.finish(response.writableFinished ? "answered" : "aborted"));
  const found = findProtocol(world.protocols, path);
  const protocol = found?.protocol ?? fallbackProtocol;
  for (const [name, value] of Object.entries(protocol.headers ?? {})) response.setHeader(name, value);
  try {
    const bytesMax = protocol.bodyBytesMax?.(found?.rest ?? path) ?? bodyBytesUsual;
    const body = await readBody(request, bytesMax);
    call.keepBody(body ?? Buffer.alloc(0));
    if (body === null) return sendRefusal(protocol, tooLarge(bytesMax), call, response);
    const planned = found === null ? null : planFor(world, found, request, body);
    if (planned === null) return sendRefusal(protocol, unknownPath(request), call, response);
    const plan = await planned;
    call.model = plan.model;
    call.parts = plan.parts ?? null;
    await sendPlan(plan, directivesOfThisCall(world, plan), protocol, call, response);
  } catch (error) {
    if (response.destroyed || !request.complete) return call.finish("aborted");
    if (response.headersSent) return void response.destroy();
    sendRefusal(protocol, error instanceof Refused ? error.refusal : ourFault(error), call, response);
  }
}

/** Null where the protocol has no such operation. */
function planFor(world: World, { protocol, prefix, rest }: Found, request: IncomingMessage, body: Buffer): Plan | Promise<Plan> | null {
  const { method = "GET", headers, url = "" } = request;
  const live: LiveOperation | null = protocol.findLive?.(method, rest) ?? null;
  if (live !== null) {
    const query = new URLSearchParams(url.split("?", 2)[1]);
    return live({ method, path: rest, query, headers, body, base: `http://${headers.host ?? "localhost"}${prefix}` });
  }
  const operation = protocol.findOperation(method, rest);
  if (operation === null) return null;
  return recallPlan(world, operation, prefix + rest, body, protocol.readVariant?.(headers) ?? "");
}

function recallPlan(world: World, operation: Operation, path: string, body: Buffer, variant: string): Plan {
  const key = body.length <= plannedBodyBytesMax ? `${path}\n${variant}\n${body.toString("latin1")}` : null;
  let plan = key === null ? undefined : world.plans.get(key);
  if (plan === undefined) {
    plan = operation(body, variant);
    if (key !== null) world.plans.set(key, plan);
  }
  return plan;
}

/** sim-flaky-N: the first N calls of a model id meet its faults, later ones don't, until reset(). */
function directivesOfThisCall(world: World, { model, directives }: Plan): Directives {
  if (directives.flaky === undefined || model === null) return directives;
  const before = world.flakyCalls.get(model) ?? 0;
  world.flakyCalls.set(model, before + 1);
  return before < directives.flaky ? directives : withoutFaults(directives);
}

function serveRecord(world: World, request: IncomingMessage, response: ServerResponse): void {
  if (request.method === "DELETE") reset(world);
  const { headers, body } = jsonReply(200, JSON.stringify({ counters: readCounters(world), calls: world.record.calls() }));
  response.writeHead(200, headers).end(body);
}

function readCounters(world: World): SimulatorCounters {
  return { ...world.record.counters(), openSockets: world.sockets.size };
}

function reset(world: World): void {
  world.record.reset();
  world.flakyCalls.clear();
}

function sendRefusal(protocol: SimulatorProtocol, met: Refusal, call: OpenCall, response: ServerResponse): void {
  const refusal = protocol.rewordRefusal?.(met) ?? met;
  const { status, headers, body } = jsonReply(refusal.status, protocol.renderRefusal(refusal), refusal.headers);
  call.status = status;
  response.writeHead(status, headers).end(body);
}

function tooLarge(bytesMax: number): Refusal {
  return {
    status: 413,
    type: "invalid_request_error",
    code: "request_too_large",
    message: `The simulator reads at most ${bytesMax / 1024 / 1024} MB.`,
    headers: { connection: "close" },
  };
}

function unknownPath(request: IncomingMessage): Refusal {
  return {
    status: 404,
    type: "invalid_request_error",
    code: "unknown_url",
    message: `Unknown request URL: ${request.method} ${request.url}.`,
  };
}

function ourFault(error: unknown): Refusal {
  return { status: 500, type: "server_error", code: "simulator_fault", message: `The simulator itself failed: ${String(error)}` };
}

// Reads a request's body into memory, bounded. Owns the usual limit of 64 MB; what the bytes mean belongs to the protocols.

/** Twice what the gateway takes from its callers, and room for base64 images on top. */
const bodyBytesUsual = 64 * 1024 * 1024;

/** Null where the body is too large (what is left of it is read and thrown away); rejects when the client goes away. */
function readBody(request: IncomingMessage, bodyBytesMax: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else {
        chunks = [];
        resolve(null);
      }
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the client went away")));
  });
}

// The protocols that the simulator speaks. A new one is a folder beside openai/ and a line here; longest prefix first.

interface Found {
  protocol: SimulatorProtocol;
  prefix: string;
  /** What is left of the path below the prefix. */
  rest: string;
}

const fallbackProtocol: SimulatorProtocol = openai;

/** Those of one simulator: each has a state of its own. */
function openProtocols(): readonly SimulatorProtocol[] {
  return [anthropic, bedrock, openai, gemini, cohere, openAzure(), rerank, openFal(), elevenlabs, openMinimax(), openVertex()];
}

/** The protocol that a path is meant for. */
function findProtocol(protocols: readonly SimulatorProtocol[], path: string): Found | null {
  for (const protocol of protocols) {
    const prefix = protocol.prefixes.find((candidate) => path.startsWith(`${candidate}/`));
    if (prefix !== undefined) return { protocol, prefix, rest: path.slice(prefix.length) };
  }
  return null;
}

/** Keys that the simulator of this process takes, by the variables that catalogs/simulated-clouds.yaml names. */
export function exampleKeys(): Record<string, string> {
  return {
    SIMULATOR_AZURE_CLIENT_SECRET: "example-client-secret",
    SIMULATOR_GEMINI_API_KEY: "example-key",
    SIMULATOR_GOOGLE_SERVICE_ACCOUNT: JSON.stringify(serviceAccount("simulator:/vertex/token")),
    SIMULATOR_AWS_ACCESS_KEY_ID: accessKeyId,
    SIMULATOR_AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
}
