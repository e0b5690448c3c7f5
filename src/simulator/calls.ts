// What the simulator received and what became of it: counters, and a bounded record of the last calls for tests to read.
// Cheap to write and dear to read: headers and bodies are turned into values only when asked for.
import type { IncomingMessage } from "node:http";
import { parseJson } from "../json/parse.ts";
import type { SentPart } from "./protocol.ts";

export interface SimulatorCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The body as text, cut at 256 KB. */
  body: string;
  /** The body parsed; undefined where it isn't JSON. */
  json: unknown;
  /** What a multipart form consisted of, its files without their bytes; null where the body was none that could be read. */
  parts: readonly SentPart[] | null;
  model: string | null;
  /** Null until an answer has begun. */
  status: number | null;
  /** answered: sent whole. aborted: the client disconnected first. broken: the simulator interrupted it because a directive asked for it. */
  outcome: "open" | "answered" | "aborted" | "broken";
  /** Records of a stream that were written. */
  records: number;
  /** Tokens and web searches that a host would bill for it; null: nothing. */
  billed: { input: number; output: number; searches: number } | null;
}

export interface SimulatorCounters {
  received: number;
  answered: number;
  aborted: number;
  broken: number;
  /** Connections open now; the one number that reset() leaves. */
  openSockets: number;
}

/** A call that has ended, for a sum of what a host would bill, over longer than the record goes back. */
export interface EndedCall extends Pick<SimulatorCall, "model" | "status" | "billed"> {
  /** The caller's x-request-id; null: it sent none. */
  requestId: string | null;
  outcome: "answered" | "aborted" | "broken";
}

/** A call while it runs. */
export interface OpenCall {
  model: string | null;
  parts: readonly SentPart[] | null;
  status: number | null;
  records: number;
  billed: SimulatorCall["billed"];
  keepBody(body: Buffer): void;
  /** The first outcome counts; later ones are ignored. */
  finish(outcome: "answered" | "aborted" | "broken"): void;
}

interface Kept {
  method: string;
  path: string;
  rawHeaders: string[];
  body: Buffer;
  call: OpenCall & { outcome: SimulatorCall["outcome"] };
}

const callsMax = 500;
const bodyBytesMax = 256 * 1024;
/** All kept bodies together; the oldest calls go first. */
const keptBytesMax = 16 * 1024 * 1024;

export interface CallRecord {
  open(request: IncomingMessage): OpenCall;
  calls(): SimulatorCall[];
  counters(): Omit<SimulatorCounters, "openSockets">;
  reset(): void;
}

export function recordCalls(onEnd?: (call: EndedCall) => void): CallRecord {
  let kept: Kept[] = [];
  let keptBytes = 0;
  let counters = { received: 0, answered: 0, aborted: 0, broken: 0 };

  function trim(): void {
    // Trimmed by hundreds, so that a call under load costs no array shift.
    if (kept.length < callsMax + 100 && keptBytes <= keptBytesMax) return;
    while (kept.length > callsMax || (keptBytes > keptBytesMax && kept.length > 1)) keptBytes -= kept.shift()!.body.length;
  }

  function open(request: IncomingMessage): OpenCall {
    // A call that outlives a reset counts where it began, never in the fresh counters.
    const mine = counters;
    const list = kept;
    mine.received += 1;
    const call: Kept["call"] = {
      model: null,
      parts: null,
      status: null,
      records: 0,
      billed: null,
      outcome: "open",
      keepBody(body) {
        if (list !== kept) return;
        entry.body = Buffer.from(body.subarray(0, bodyBytesMax));
        keptBytes += entry.body.length;
        trim();
      },
      finish(outcome) {
        if (call.outcome !== "open") return;
        call.outcome = outcome;
        mine[outcome] += 1;
        const requestId = request.headers["x-request-id"];
        onEnd?.({
          requestId: typeof requestId === "string" ? requestId : null,
          model: call.model,
          status: call.status,
          billed: call.billed,
          outcome,
        });
      },
    };
    const entry: Kept = {
      method: request.method ?? "",
      path: request.url ?? "",
      rawHeaders: request.rawHeaders,
      body: Buffer.alloc(0),
      call,
    };
    kept.push(entry);
    trim();
    return call;
  }

  return {
    open,
    calls: () => kept.slice(-callsMax).map(readCall),
    counters: () => ({ ...counters }),
    reset() {
      kept = [];
      keptBytes = 0;
      counters = { received: 0, answered: 0, aborted: 0, broken: 0 };
    },
  };
}

function readCall({ method, path, rawHeaders, body, call }: Kept): SimulatorCall {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers[rawHeaders[at]!.toLowerCase()] = rawHeaders[at + 1]!;
  const text = body.toString("utf8");
  return {
    method,
    path,
    headers,
    body: text,
    json: parseOrUndefined(text),
    parts: call.parts,
    model: call.model,
    status: call.status,
    outcome: call.outcome,
    records: call.records,
    billed: call.billed,
  };
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
