// A paid call with an `Idempotency-Key` is carried out once for its account and endpoint: a repeat gets the same answer, or is told why not. Without the
// header nothing happens here.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { OperationId } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";
import { assertModelAllowed } from "../accounts/key-policy.ts";
import type { Context } from "../context.ts";
import { refuseInDoubt } from "../db/database-checks.ts";
import { fail } from "../errors/fail.ts";
import { uuidv7 } from "../ids.ts";
import { type Claim, type Claimed, claimKey, keepAnswer, keptAnswerMax, letGo } from "../ledger/idempotency.ts";
import type { Handler, Headers, Reply, Request, Sink } from "../operation.ts";
import type { Ask } from "./ask.ts";

/** As of media jobs: a longer key is cut. */
const keyMax = 128;

export function answerOnce<Id extends OperationId>(handler: Handler<Id>): Handler<Id> {
  const once: Handler<Id> = (context, request, ask) => {
    const sent = request.headers["idempotency-key"]?.trim() ?? "";
    if (sent === "") return handler(context, request, ask);
    return carryOut(context, request, ask, Array.from(sent).slice(0, keyMax).join(""), handler);
  };
  return Object.assign(once, handler);
}

async function carryOut<Id extends OperationId>(
  context: Context,
  request: Request<Id>,
  ask: Ask,
  key: string,
  handler: Handler<Id>,
): Promise<Reply<Id>> {
  const { db, ledger, clock } = context;
  const { caller, operationId, receivedAt, requestId } = ask;
  refuseInDoubt(db);
  const hash = await hashOf(request);
  const callId = uuidv7(clock());
  const claim: Claim = { accountId: caller.accountId, operation: operationId, key, hash, callId, receivedAt, owner: ledger.owner };
  const claimed = await claimKey(db, claim);
  if (claimed.outcome !== "claimed") return answerOf(claimed, caller) as Reply<Id>;
  const lost = (cause: unknown) => reportLost(context, requestId, cause);
  const over = () => letGo(db, claim).catch(lost);
  let reply: Reply<Id>;
  try {
    reply = await handler(context, request, { ...ask, callId });
  } catch (error) {
    await over();
    throw error;
  }
  if ("stream" in reply && reply.stream !== undefined) {
    // A caller who asked for no stream gets the same answer again, though its bytes are sent as they come.
    const isStream = (request.body as { stream?: unknown } | undefined)?.stream === true;
    const keepBytes = (bytes: Buffer) => keep(context, claim, { ...reply, bytes }).catch(lost);
    return { ...reply, stream: streamOnce(reply.stream, ask.signal, over, isStream ? null : keepBytes) } as Reply<Id>;
  }
  const whole = bytesOf(reply);
  await keep(context, claim, whole).catch(lost);
  return whole as Reply<Id>; // so that it is written as text once
}

/** The answer may be another key's of the account: a key gets none of a model that it may not use. */
function answerOf(claimed: Exclude<Claimed, { outcome: "claimed" }>, caller: Caller): Whole {
  switch (claimed.outcome) {
    case "answered":
      if (claimed.headers["x-svc-model"] !== undefined) assertModelAllowed(caller, claimed.headers["x-svc-model"]);
      return { status: claimed.status, headers: claimed.headers, bytes: claimed.body };
    case "running":
      return fail("idempotency_in_progress", { retryAfterMs: 1_000 });
    case "replayed":
      return fail("idempotency_replayed");
    case "reused":
      return fail("idempotency_key_reused");
  }
}

/** The same bytes, the same parameters; of a form the same fields and file. */
async function hashOf({ rawBody, form, query }: Request): Promise<Buffer> {
  const hash = createHash("sha256").update(JSON.stringify(query)).update("\n");
  const sent = form as { fields: unknown; file: { path: string } | null } | null;
  if (sent === null) return hash.update(rawBody).digest();
  hash.update(JSON.stringify(sent.fields)).update("\n");
  if (sent.file !== null) for await (const chunk of createReadStream(sent.file.path)) hash.update(chunk as Buffer);
  return hash.digest();
}

/** `whole` keeps what the stream sent, if there is room for it; null: it is not kept, and its charge says that it was carried out. */
function streamOnce(
  stream: (sink: Sink) => Promise<void>,
  signal: AbortSignal,
  over: () => Promise<void>,
  whole: ((bytes: Buffer) => Promise<void>) | null,
) {
  return async (sink: Sink): Promise<void> => {
    const collected = whole === null ? null : collect(sink);
    try {
      await stream(collected ?? sink);
      const bytes = collected?.bytes() ?? null;
      if (bytes !== null && !signal.aborted) await whole?.(bytes);
    } finally {
      collected?.drop();
      await over();
    }
  };
}

const collecting = openCollector<Buffer>({ eachMax: keptAnswerMax, allMax: 64 * keptAnswerMax });

/** Also collects what is written, up to what is kept of an answer and what this process has room for: beyond, null. */
function collect(sink: Sink): Sink & { bytes(): Buffer | null; drop(): void } {
  const { items, add, drop } = collecting();
  return {
    write(chunk) {
      if (items() !== null) {
        const bytes = Buffer.from(chunk as Uint8Array);
        add(bytes, bytes.length);
      }
      return sink.write(chunk);
    },
    bytes() {
      const chunks = items();
      return chunks && Buffer.concat(chunks);
    },
    drop,
  };
}

interface Whole {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

function bytesOf(reply: Reply): Whole {
  const { status, headers = {} } = reply;
  if ("bytes" in reply && reply.bytes !== undefined) return { status, headers, bytes: reply.bytes };
  const bytes = Buffer.from(JSON.stringify((reply as { body?: unknown }).body));
  return { status, headers: { "content-type": "application/json", ...headers }, bytes };
}

async function keep({ db }: Context, claim: Claim, { status, headers, bytes }: Whole): Promise<void> {
  await keepAnswer(db, claim, status, bytes.length > keptAnswerMax ? null : { headers, body: bytes });
}

/** The answer is out, or on its way: its repeat is told for some minutes that it runs, and then what its charge says. */
function reportLost({ log }: Context, requestId: string, cause: unknown): void {
  log.error({ err: cause, request_id: requestId }, "what became of a call could not be written to its idempotency key");
}

// Collects an answer while it goes out, in bounds: so much of each, and so much of all that this process collects now.

interface Collected<Item> {
  /** What is collected so far; null: it was too much, or dropped. */
  items(): readonly Item[] | null;
  add(item: Item, bytes: number): void;
  /** Makes room for others. Call it at the end, whatever that was. */
  drop(): void;
}

/** In bytes. */
export function openCollector<Item>({ eachMax, allMax }: { eachMax: number; allMax: number }): () => Collected<Item> {
  let all = 0;
  return () => {
    let items: Item[] | null = [];
    let size = 0;
    const drop = () => {
      all -= size;
      size = 0;
      items = null;
    };
    return {
      items: () => items,
      add(item, bytes) {
        if (items === null) return;
        items.push(item);
        size += bytes;
        all += bytes;
        if (size > eachMax || all > allMax) drop();
      },
      drop,
    };
  };
}
