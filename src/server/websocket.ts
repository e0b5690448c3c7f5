// The WebSocket of /v1/responses: who may open one, its frames, its bounds and its end. A frame is a turn (websocket-turn.ts); turns of a
// connection run one after the other, and may go on from each other (websocket-conversation.ts).
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { operations } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";
import { storesResponses } from "../accounts/stored-responses.ts";
import type { Holder } from "../concurrency/slots.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { parseJson } from "../json/parse.ts";
import { requestBound } from "../limits/limits.ts";
import { authenticate } from "./authenticate.ts";
import type { Connections } from "./connections.ts";
import { chooseRequestId, type Edge } from "./edge.ts";
import { parseBody } from "./parse-json.ts";
import { renderError } from "./render-error.ts";
import { plannedError, rawReply } from "./send-error.ts";
import { openConversation, type PreparedTurn } from "./websocket-conversation.ts";
import { askTurn, eventsOf, textOf } from "./websocket-turn.ts";

export interface WebSockets {
  /** No further turn begins; each connection closes when its turn has ended. */
  drain(): void;
  /** Cuts what is still open. */
  cut(): void;
}

const operation = operations.createResponse;

/** Whether a request becomes a WebSocket. Others that ask for an upgrade, to HTTP/2 as a rule, are answered as if they didn't. */
export function asksWebSocket({ headers, url = "" }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket" && url.split("?")[0] === operation.path;
}

interface Session {
  ws: WebSocket;
  req: IncomingMessage;
  holder: Holder;
  /** Whether its workspace stores responses. */
  stores: boolean;
}

export function serveWebSockets(edge: Edge, server: Server, connections: Connections): WebSockets {
  const open = new Map<WebSocket, () => void>();
  const frames = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: edge.limits.frameBytes });
  let draining = false;

  const admit = async (req: IncomingMessage): Promise<Caller> => {
    if (draining) fail("overloaded");
    const { accounts, limits, catalog } = edge.context;
    const caller = await authenticate(accounts, operation, req.headers);
    limits.assertBelowCeiling(caller.accountId, requestBound(catalog, caller));
    return caller;
  };
  const upgrade = async (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    connections.upgraded(req.socket);
    let caller: Caller;
    try {
      caller = await admit(req);
      if (!edge.sockets.take(caller.accountId, 1)) fail("overloaded");
    } catch (error) {
      return refuse(edge, socket, error);
    }
    const { accountId: holder } = caller;
    const stores = storesResponses(edge.context.config, caller);
    if (socket.destroyed) return edge.sockets.giveBack(holder, 1);
    socket.once("close", () => edge.sockets.giveBack(holder, 1));
    frames.handleUpgrade(req, socket, head, (ws) => {
      const drain = runSession(edge, server, { ws, req, holder, stores });
      open.set(ws, drain);
      ws.once("close", () => open.delete(ws));
      if (draining) drain();
    });
  };
  server.on("upgrade", (req, socket, head) => void upgrade(req, socket, head));
  return {
    drain() {
      draining = true;
      for (const drain of open.values()) drain();
    },
    cut() {
      for (const ws of open.keys()) ws.terminate();
    },
  };
}

function refuse(edge: Edge, socket: Duplex, thrown: unknown): void {
  const requestId = chooseRequestId(undefined);
  const { code, details } = plannedError(edge, thrown, { requestId, operation: operation.id });
  const { status, headers, body } = renderError(code, details, { dialect: "standard", requestId, publicUrl: edge.publicUrl });
  edge.context.log.info({ request_id: requestId, code, status }, "a WebSocket was refused");
  socket.end(rawReply(status, { ...headers, "x-request-id": requestId }, JSON.stringify(body)));
  setTimeout(() => socket.destroy(), closingMs).unref();
}

/** Words of RFC 6455. */
const closes = { leaving: 1001, tooMany: 1008, failed: 1011, later: 1013 };
/** How long a closing handshake may take. */
const closingMs = 2_000;
const pingMs = 30_000;
/** Turns that wait for the one before. */
const waitingMax = 8;
/** What may wait for a slow client before its answer waits, too. */
const sendAheadBytes = 262_144;

/** Returns what ends it as soon as no turn is running. */
function runSession(edge: Edge, server: Server, { ws, req, holder, stores }: Session): () => void {
  const conversation = openConversation(edge, holder, stores);
  const gone = new AbortController();
  const waiting: string[] = [];
  let running = false;
  let ending: string | null = null;
  let arriving = 0;

  const memory = holdFrames(edge, holder);
  const close = (code: number, reason: string) => {
    ending ??= reason;
    ws.close(code, reason);
    setTimeout(() => ws.terminate(), closingMs).unref();
  };
  const end = (reason: string) => {
    ending ??= reason;
    if (!running) close(closes.leaving, ending);
  };
  const { socketIdleMs, socketAgeMs } = edge.limits;
  const awaitTurn = () => setTimeout(() => end("no turn for too long"), socketIdleMs);
  let idle = awaitTurn();
  const age = setTimeout(() => end("open for too long: connect again"), socketAgeMs);
  // For the proxies in between. An answer is not waited for: a client may be at work with a tool's call for minutes.
  const pings = setInterval(() => ws.ping(), pingMs);
  req.socket.setKeepAlive(true, pingMs);

  const next = async () => {
    if (running) return;
    running = true;
    clearTimeout(idle);
    for (let frame = waiting.shift(); frame !== undefined && ending === null && !gone.signal.aborted; frame = waiting.shift()) {
      const bytes = Buffer.byteLength(frame);
      await runTurn(edge, server, { ws, req }, { frame, conversation, signal: gone.signal });
      memory.giveBack(bytes);
    }
    running = false;
    if (ending !== null) close(closes.leaving, ending);
    else if (!gone.signal.aborted) idle = awaitTurn();
  };

  req.socket.prependListener("data", (chunk: Buffer) => {
    arriving += chunk.length;
    if (!memory.hold(chunk.length)) close(closes.later, "no memory is left for this frame");
  });
  ws.on("message", (data: RawData, isBinary) => {
    const text = isBinary ? "" : (data as Buffer).toString();
    const bytes = Buffer.byteLength(text);
    memory.giveBack(arriving);
    arriving = 0;
    if (waiting.length >= waitingMax) return close(closes.tooMany, "too many turns are waiting");
    if (!memory.hold(bytes)) return close(closes.later, "no memory is left for this frame");
    waiting.push(text);
    void next();
  });
  ws.on("error", () => undefined); // a frame that breaks the protocol: ws closes the connection by itself
  ws.once("close", () => {
    for (const timer of [idle, age, pings]) clearTimeout(timer);
    gone.abort();
    conversation.close();
    memory.close();
    waiting.length = 0;
  });
  return () => end("the gateway is stopping: connect again");
}

/** The part of the bound for all bodies that a connection's frames take: those that wait, and one that is on its way. */
function holdFrames(edge: Edge, holder: Holder) {
  let held = 0;
  let closed = false;
  const giveBack = (bytes: number) => {
    const given = Math.min(bytes, held); // nothing twice: the end gives back what a running turn holds, too
    if (given > 0) edge.bodies.giveBack(holder, given);
    held -= given;
  };
  return {
    hold(bytes: number): boolean {
      if (closed || !edge.bodies.take(holder, bytes)) return false;
      held += bytes;
      return true;
    },
    giveBack,
    close() {
      closed = true;
      giveBack(held);
    },
  };
}

interface Turn {
  frame: string;
  conversation: ReturnType<typeof openConversation>;
  signal: AbortSignal;
}

/** Never rejects. */
async function runTurn(
  edge: Edge,
  server: Server,
  { ws, req }: Pick<Session, "ws" | "req">,
  { frame, conversation, signal }: Turn,
): Promise<void> {
  let turn: PreparedTurn | null = null;
  try {
    turn = conversation.prepare(readFrame(frame));
    const { headers, socket } = req;
    const answer = await askTurn(server, { headers, remoteAddress: socket.remoteAddress, body: turn.body, signal });
    if (answer.statusCode === 200) for await (const event of eventsOf(answer)) await send(edge, ws, turn.event(event));
    else {
      turn.failed();
      await send(edge, ws, errorEvent(answer.statusCode!, await textOf(answer), turn.shift));
    }
  } catch (thrown) {
    turn?.failed();
    if (signal.aborted) return;
    if (turn === null) return send(edge, ws, ownError(edge, thrown));
    edge.context.log.warn({ err: thrown }, "an answer over a WebSocket was cut off");
    ws.close(closes.failed, "the answer was cut off");
  }
}

function readFrame(frame: string): Record<string, unknown> {
  const { value } = parseBody(Buffer.from(frame), { "content-type": "application/json" }, ["input", "instructions"]);
  const sent = value as Record<string, unknown>;
  if (sent["type"] !== "response.create") failParameter("type", "it must be response.create, and the frame a text");
  return sent;
}

/** A client that reads nothing for as long as a stream's may is cut off. */
function send(edge: Edge, ws: WebSocket, text: string): Promise<void> | void {
  if (ws.readyState !== ws.OPEN) return;
  if (ws.bufferedAmount < sendAheadBytes) return ws.send(text, () => undefined);
  return new Promise((resolve) => {
    const late = setTimeout(() => ws.terminate(), edge.limits.stalledReaderMs);
    ws.send(text, () => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** What is refused before there is a request. */
function ownError(edge: Edge, thrown: unknown): string {
  const requestId = chooseRequestId(undefined);
  const { code, details } = plannedError(edge, thrown, { requestId, operation: operation.id });
  const { status, body } = renderError(code, details, { dialect: "standard", requestId, publicUrl: edge.publicUrl });
  return errorEvent(status, JSON.stringify(body), 0);
}

/** A refusal as an event. Items are numbered as they were sent: those that were put before them are counted off. */
function errorEvent(status: number, body: string, shift: number): string {
  const { error, ...more } = parseJson(body) as { error: { code: string; message: string; param: string | null } };
  const numbered = (text: string) =>
    text.replace(/\binput\[(\d+)\]/g, (_, index: string) => (Number(index) < shift ? "input" : `input[${Number(index) - shift}]`));
  const [message, param] = [numbered(error.message), error.param === null ? null : numbered(error.param)];
  return JSON.stringify({
    ...{ type: "error", sequence_number: 0, status, code: error.code, message, param },
    error: { ...error, message, param },
    ...more,
  });
}
