// The steps of one request to a known operation, in a fixed order (docs/behaviour/requests.md#order): authentication, rate, body,
// content type, JSON, fields, authentication again after a slow body; then the handler, whose reply reply.ts sends.
import { rm } from "node:fs/promises";
import { type Form, type Operation, type OperationId, operations } from "../../generated/operations.ts";
import { forms, parameters } from "../../generated/validators.js";
import type { Caller } from "../accounts/caller.ts";
import { assertNetworkAllowed, assertNotExpired, assertOperationAllowed, type KeyPolicy } from "../accounts/key-policy.ts";
import { type Ask, tagsOf } from "../calls/ask.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { requestBound } from "../limits/limits.ts";
import { noAccount } from "../limits/counters.ts";
import type { FormBody, Handler, Request } from "../operation.ts";
import { authenticate } from "./authenticate.ts";
import { bigBytes, readBigJson } from "./big-json.ts";
import { clientAddress, type Edge, type Exchange } from "./edge.ts";
import { letOperatorIn } from "./let-operator-in.ts";
import { failForm } from "./parse-form.ts";
import { type JsonContent, loggableModel, readJson } from "./parse-json.ts";
import { failTooLarge, holdValue, readBody } from "./read-body.ts";
import { readForm, type SentForm, takesForm } from "./read-form.ts";
import { formFields, parameterReader } from "./read-parameters.ts";
import { sendReply } from "./reply.ts";

/** Returns no promise where nothing has to be waited for; what it refuses at once it throws. */
export type RunOperation = (exchange: Exchange) => Promise<void> | void;

/** Prepares what doesn't depend on the request. */
export function operationRunner(edge: Edge, operation: Operation, handler: Handler): RunOperation {
  const { id } = operation;
  const readParameters = parameterReader(operation, parameters[id]);
  const limitRate = rateLimiter(operation);
  // No cache may keep what belongs to one account, unless the handler says otherwise.
  const isPublic = operation.auth === "none" && operation.method === "get";

  // Functions of their own, which return before the reply is sent, so that a waiting stream does not keep the request's body alive.
  const handle = (exchange: Exchange, content: JsonContent, form: FormBody<unknown> | null) => {
    const ask = askOf(exchange, id, form === null ? content.value : form.fields);
    return handler(edge.context, requestOf(exchange, ask, readParameters(exchange), content, form), ask);
  };
  const replyTo = async (exchange: Exchange, since: number) => {
    const read = readContent(edge, exchange, operation);
    const content = read instanceof Promise ? await read : read;
    if (isStale(since)) await identify(edge, exchange, operation);
    return handle(exchange, content, null);
  };

  const withinLimits = (exchange: Exchange, since: number): Promise<void> => {
    admit(edge, exchange, operation);
    handler.beforeBody?.(edge.context, exchange.address);
    const { form } = operation;
    if (form === undefined || !takesForm(operation, exchange.req.headers))
      return replyTo(exchange, since).then((reply) => sendReply(edge, exchange, reply));
    return withForm(edge, exchange, { operation, handler, form }, async (sent) => {
      if (isStale(since)) await identify(edge, exchange, operation);
      await sendReply(edge, exchange, await handle(exchange, noContent, sent));
    });
  };
  const withCaller = (exchange: Exchange, since: number): Promise<void> => {
    // Once: the slot goes back to the quota it came from, even if the account has another after a slow body.
    if (exchange.caller !== null) exchange.holder = exchange.caller.accountId;
    const limiting = limitRate(edge, exchange);
    return limiting ? limiting.then(() => withinLimits(exchange, since)) : withinLimits(exchange, since);
  };

  return (exchange) => {
    exchange.operation = operation;
    exchange.dialect = operation.dialect;
    if (!isPublic) exchange.headers["cache-control"] = "no-store";
    const since = performance.now();
    const identifying = identify(edge, exchange, operation);
    return identifying === undefined ? withCaller(exchange, since) : identifying.then(() => withCaller(exchange, since));
  };
}

/** Authentication runs again when the body took longer than this, since a client may take minutes over one: a sign-out, a suspension or a deleted key meanwhile ends this request too. */
const knownMaxMs = 500;

function isStale(known: number): boolean {
  return performance.now() - known > knownMaxMs;
}

/** Returns no promise where memory knows the caller, or the operation needs none. */
function identify(edge: Edge, exchange: Exchange, operation: Operation): Promise<void> | undefined {
  if (operation.auth === "none") return undefined;
  if (operation.operator !== undefined) return letOperatorIn(edge, exchange, operation);
  const caller = authenticate(edge.context.accounts, operation, exchange.req.headers);
  if (caller instanceof Promise) return caller.then((found) => identified(edge, exchange, operation, found));
  identified(edge, exchange, operation, caller);
  return undefined;
}

function identified(edge: Edge, exchange: Exchange, operation: Operation, caller: Caller): void {
  exchange.caller = caller;
  if (caller.policy !== null) assertKeyRules(edge, exchange, operation, caller.policy);
}

/**
 * Fails with key_expired, network_not_allowed or operation_not_allowed. The model is checked where it is known (src/calls/refusals.ts), the
 * rates where they are counted.
 */
function assertKeyRules({ context }: Edge, exchange: Exchange, operation: Operation, policy: KeyPolicy): void {
  assertNotExpired(policy, context.clock().getTime());
  if (policy.networks !== null) assertNetworkAllowed(policy, clientAddress(exchange.req, context.config.trustedProxies));
  assertOperationAllowed(policy, operation.id);
}

const noContent: JsonContent = { bytes: Buffer.alloc(0), text: "", value: undefined, heapBytes: 0 };

/** Runs `work` with a form's content; its files are removed afterwards, however the work ends. */
async function withForm(
  edge: Edge,
  exchange: Exchange,
  { operation, handler, form }: { operation: Operation; handler: Handler; form: Form },
  work: (sent: FormBody<unknown>) => Promise<void>,
): Promise<void> {
  const paths: string[] = [];
  try {
    await edge.context.media.withTempFile(async (path) => {
      const newPath = () => paths[paths.push(`${path}-${paths.length}`) - 1]!;
      const read = await readForm(edge, exchange, form, newPath);
      const { quoted } = handler;
      const asked = { id: operation.id, handler, form, sent: read, named: {} };
      const { id, handler: checking, form: own, sent, named } = quoted === undefined ? asked : quotedForm(read, form, quoted);
      if (quoted !== undefined) checking.beforeBody?.(edge.context, exchange.address);
      for (const file of sent.files) await checking.checkFile?.(edge.context, file);
      const fields = { ...formFields(sent, own, forms[id]), ...named };
      exchange.model = loggableModel(fields);
      // The validator requires one.
      await work({ fields, file: sent.files[0]!, files: sent.files });
    });
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
    edge.files.giveBack(exchange.holder, exchange.fileBytes);
    exchange.fileBytes = 0;
  }
}

/** What is quoted is checked as its own operation does. Its form is as that one's; other parts have no effect, as they have none there. */
function quotedForm({ texts, files }: SentForm, form: Form, quoted: (operation: OperationId) => Handler) {
  const name = new Map([...texts].filter(([field]) => field === "operation"));
  const named = formFields({ texts: name, files: [] }, form, forms.createQuote) as { operation: OperationId };
  const { id, form: own } = operations[named.operation];
  const kept = files.filter(({ field }) => own!.files.some((file) => file.name === field));
  const twice = own!.files.find(({ name, many }) => !many && kept.filter(({ field }) => field === name).length > 1);
  if (twice !== undefined) failParameter(twice.name, "it may be given once only");
  const bytes = kept.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > own!.fileMax) failTooLarge(own!.fileMax, kept[0]!.field);
  return { id, handler: quoted(id), form: own!, sent: { texts, files: kept }, named };
}

/** Returns no promise where there is no body. */
function readContent(edge: Edge, exchange: Exchange, operation: Operation): JsonContent | Promise<JsonContent> {
  if (operation.bodies.length === 0) return noContent;
  const bytes = readBody(edge, exchange, operation.bodyMax);
  const content = (whole: Buffer) => contentOf(edge, exchange, operation, whole);
  return bytes instanceof Promise ? bytes.then(content) : content(bytes);
}

function contentOf(edge: Edge, exchange: Exchange, operation: Operation, bytes: Buffer): JsonContent | Promise<JsonContent> {
  const { headers } = exchange.req;
  if (bytes.length === 0 && !operation.bodyRequired) return noContent;
  if (!operation.bodies.includes("application/json")) failForm("the content-type must be multipart/form-data");
  const found = (model: string | null) => (exchange.model = model);
  const held = (content: JsonContent) => {
    holdValue(edge, exchange, content.heapBytes);
    return content;
  };
  if (bytes.length >= bigBytes) return readBigJson(edge, exchange, operation, bytes, found).then(held);
  return held(readJson(operation, headers, bytes, found));
}

function askOf(exchange: Exchange, operationId: OperationId, body: unknown): Ask {
  const { requestId, receivedAt, since, headers } = exchange;
  return {
    operationId,
    // Absent on public operations, whose handlers never look at it.
    caller: exchange.caller as Caller,
    requestId,
    receivedAt,
    since,
    signal: exchange.signal(),
    stopping: exchange.stopping,
    tags: tagsOf(operationId, body),
    addHeaders: (more) => void Object.assign(headers, more),
  };
}

function requestOf(
  exchange: Exchange,
  { caller, requestId, receivedAt }: Ask,
  { path, query }: { path: unknown; query: unknown },
  { value, bytes, text }: JsonContent,
  form: FormBody<unknown> | null,
): Request {
  const { address, req } = exchange;
  const request = { caller, requestId, receivedAt, path, query, headers: req.headers, body: value, form, rawBody: bytes, text, address };
  return request as Request;
}

// Admission control: whether the process, and the account, can take one more request to process. Load is shed before a byte of the body
// is read and before memory grows. Reads aren't counted, so that customers, operators and probes still get answers.

/** Clients that are refused together must not retry together. */
const comeBackMs = { least: 3_000, spread: 5_000 };

/** Fails with overloaded. The exchange gives its slot back when it ends (edge.ts). */
function admit(edge: Edge, exchange: Exchange, { method, errors }: Pick<Operation, "method" | "errors">): void {
  if (method === "get" || !errors.includes("overloaded")) return;
  // Nothing is read or made for a client that disconnected during authentication.
  if (exchange.gone) throw new Error("the client disconnected before its request was admitted");
  if (!edge.work.take(exchange.holder, 1)) fail("overloaded", { retryAfterMs: comeBackMs.least + Math.random() * comeBackMs.spread });
  exchange.atWork = true;
}

// The limits before any of a request's body is read: a coarse rate limit for calls that name a model, a bound for reads and account
// operations, one by address for public ones (docs/behaviour/limits.md#counting). src/limits counts.

function rateLimiter({ auth, errors, counts }: Operation): (edge: Edge, exchange: Exchange) => Promise<void> | void {
  if (!errors.includes("rate_limit_exceeded")) return () => undefined; // e.g. payment providers send at their own rate
  if (auth === "none") {
    return ({ context: { limits }, limits: { publicPerMinute } }, { address }) =>
      limits.assertWithin({ accountId: noAccount, bucket: `public:${address}` }, publicPerMinute);
  }
  if (counts) {
    return ({ context }, exchange) => {
      const caller = callerOf(exchange);
      context.limits.assertBelowCeiling(caller.accountId, requestBound(context.catalog, caller));
    };
  }
  return ({ context }, exchange) => {
    const caller = callerOf(exchange);
    return context.limits.assertWithin({ accountId: caller.accountId, bucket: "reads" }, requestBound(context.catalog, caller));
  };
}

function callerOf({ caller }: Exchange) {
  if (caller === null) throw new Error("a rate is limited before authentication");
  return caller;
}
