// Parses big JSON bodies in a thread (parse-thread.ts), one after the other, so that they don't block other requests. Their bytes are
// transferred both ways without a copy. The thread starts with the first big body and ends when none has come for a while.
import { Worker } from "node:worker_threads";
import { limitCore } from "../concurrency/core-limit.ts";
import { inSlot, openSlots, type Holder } from "../concurrency/slots.ts";
import { ApiError, fail } from "../errors/fail.ts";
import type { JsonText } from "../providers/json/splice.ts";
import type { BigJson, Edge, Exchange } from "./edge.ts";
import { type Outline, stringAt, type StringSpan } from "./json-outline.ts";
import type { JsonContent, ReadOperation } from "./parse-json.ts";
import type { ParseAnswer, ParseOrder } from "./parse-thread.ts";

/** Reading the worst body of this size takes some ten milliseconds; handing one over and back, a fifth of one. */
export const bigBytes = 262_144;
/** Of a core, not of the clock, because of the thread's low priority. The worst body of 25 MB takes a second of one. */
const coreMaxMs = 20_000;
const idleMs = 30_000;
/** One body's text and value, plus garbage that is not collected yet; parse-json.ts bounds the value. */
const heapMb = 512;

export function openBigJson(): BigJson {
  const slots = openSlots(1, Infinity); // as many wait as the bound of all bodies lets in (read-body.ts)
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  const end = async () => {
    clearTimeout(idle);
    const ending = worker;
    worker = null;
    await ending?.terminate();
  };
  const start = () => {
    const started = new Worker(new URL("./parse-thread.ts", import.meta.url), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    started.on("error", () => undefined); // the waiting request gets the error
    started.once("exit", () => worker === started && (worker = null));
    return started;
  };
  const run = async (order: ParseOrder, signal: AbortSignal) => {
    signal.throwIfAborted();
    clearTimeout(idle);
    worker ??= start();
    let isWell = false;
    try {
      worker.ref(); // an idle thread must not keep the process alive
      const answer = await askThread(worker, order);
      isWell = true;
      return answer;
    } finally {
      worker?.unref();
      if (isWell) idle = setTimeout(() => void end(), idleMs).unref();
      else await end();
    }
  };
  return { read: (order, signal, holder) => inSlot(slots, () => run(order, signal), signal, holder), close: end };
}

/** A client's disconnect does not stop the thread: it finishes faster than a new one starts. */
async function askThread(worker: Worker, order: ParseOrder): Promise<ParseAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ParseAnswer>();
  const tooLong = () => reject(new ApiError("overloaded", { cause: new Error("a big body took a core for too long") }));
  const onExit = () => reject(new Error("the thread that reads big bodies has ended"));
  const endLimit = limitCore(worker, coreMaxMs, tooLong);
  worker.once("message", resolve).once("error", reject).once("exit", onExit);
  try {
    worker.postMessage(order, [order.bytes.buffer]);
    return await promise;
  } finally {
    endLimit();
    worker.off("message", resolve).off("error", reject).off("exit", onExit);
  }
}

/** Like readJson (parse-json.ts). `bytes` are empty afterwards: the answer owns them. */
export async function readBigJson(
  edge: Edge,
  exchange: Exchange,
  { id, bodies }: ReadOperation,
  bytes: Buffer,
  found: (model: string | null) => void,
): Promise<JsonContent> {
  const { "content-type": type, "content-encoding": encoding } = exchange.req.headers;
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
  const order = { operation: { id, bodies }, headers, bytes: bytes as Uint8Array<ArrayBuffer> };
  return readBigBytes(edge, order, { signal: exchange.signal(), holder: exchange.holder, found });
}

/** The same without a connection. */
export async function readBigBytes(
  edge: Pick<Edge, "bigJson">,
  order: ParseOrder,
  { signal, holder, found }: { signal: AbortSignal; holder: Holder; found?: (model: string | null) => void },
): Promise<JsonContent> {
  const answer = await edge.bigJson.read(order, signal, holder);
  found?.(answer.model);
  if ("refusal" in answer) fail(answer.refusal.code, answer.refusal.details);
  if ("fault" in answer) throw answer.fault;
  const body = Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.length);
  for (const span of answer.outline.strings) putBack(answer.value, body, span);
  return { bytes: body, text: textOf(body, answer.outline.members), value: answer.value, heapBytes: answer.heapBytes };
}

function textOf(bytes: Buffer, members: Outline["members"] | null): JsonText {
  if (members === null) return bytes.toString();
  return {
    members: members.map(({ from, to, key, value }) => ({
      key: stringAt(bytes, key),
      head: bytes.subarray(from, value.from),
      value: bytes.subarray(value.from, value.to),
      tail: bytes.subarray(value.to, to),
    })),
  };
}

/** The string is made when it is first read. An image's never is: its bytes go upstream as they are. */
function putBack(root: unknown, bytes: Buffer, span: StringSpan): void {
  const path = span.path.slice(0, -1);
  const last = span.path.at(-1)!;
  const holder = path.reduce((value, step) => (value as Record<string | number, unknown>)[step], root) as object;
  const define = (value: unknown) => Object.defineProperty(holder, last, { value, writable: true, enumerable: true, configurable: true });
  Object.defineProperty(holder, last, {
    get() {
      const text = stringAt(bytes, span);
      define(text);
      return text;
    },
    set: define,
    enumerable: true,
    configurable: true,
  });
}
