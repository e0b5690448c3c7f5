// The list of voices: the account's own first, then those of the families' providers (docs/behaviour/audio.md#voices).
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { components } from "../../generated/api.d.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Catalog, Model, VoiceFamily } from "../catalog/types.ts";
import { GatewayStopping } from "../calls/ask.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { failureOf, UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Route } from "../providers/types.ts";
import type { ListVoices, ProviderVoice } from "../providers/verbs/audio.ts";
import { type OwnVoice, voicesOf } from "./voice-owner.ts";

type VoiceProvider = components["schemas"]["VoiceProvider"];

interface VoiceList {
  /** The value of X-Svc-Cache. */
  cache: "may-hit" | "partial" | "miss";
  body: CodedBody;
}

/** The same text, plain and compressed. */
interface CodedBody {
  plain: Buffer;
  gzip: () => Promise<Buffer>;
}

interface Asking {
  caller: Pick<Caller, "accountId">;
  requestId: string;
  signal: AbortSignal;
}

type Listing = Pick<Context, "catalog" | "providers" | "clock" | "log" | "db">;

/** Fails with provider_error if every provider that was asked failed. */
export async function listVoices(context: Listing, { caller, requestId, signal }: Asking, provider: VoiceProvider): Promise<VoiceList> {
  const families: VoiceFamily[] = provider === "all" ? ["provider_a", "provider_b"] : [provider];
  const readers = families.flatMap((family) => rowsOf(context, family) ?? []);
  const own = families.includes("provider_b") ? voicesOf(context.db, caller.accountId) : [];
  const [mine, ...read] = await untilGone(signal, Promise.all([own, ...readers.map((reader) => settled(reader(context, requestId)))]));
  const answers = read.flatMap(({ answer }) => answer ?? []);
  const failure = read.find(({ answer }) => answer === null);
  if (failure !== undefined && answers.length === 0) throw failure.error;
  const rows = answers.flatMap(({ value }) => value ?? []);
  // One cached answer is enough for the list to be older than this request.
  const cache = failure !== undefined ? "partial" : answers.length > 0 && answers.every(({ cached }) => !cached) ? "miss" : "may-hit";
  return { cache, body: mine.length === 0 ? sharedBody(context.catalog, provider, rows) : bodyOf(provider, mine, rows) };
}

type Answer = Awaited<ReturnType<ReadRows>>;

async function settled(reading: Promise<Answer>): Promise<{ answer: Answer; error: null } | { answer: null; error: unknown }> {
  try {
    return { answer: await reading, error: null };
  } catch (error) {
    return { answer: null, error };
  }
}

/** Stops waiting when the client disconnects; the read goes on for others. */
async function untilGone<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(signal.reason as Error);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, gone.promise]);
  } catch (error) {
    work.catch(() => undefined);
    return error instanceof GatewayStopping ? fail("overloaded", { cause: error }) : Promise.reject(error as Error);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Without voices of its own an account gets the same list as all others, so both encodings are made once for each read. */
function sharedBody(catalog: Catalog, provider: VoiceProvider, rows: readonly string[]): CodedBody {
  const made = sharedBodies.get(catalog) ?? new Map<VoiceProvider, SharedBody>();
  sharedBodies.set(catalog, made);
  const known = made.get(provider);
  if (known !== undefined && known.rows.length === rows.length && known.rows.every((row, n) => row === rows[n])) return known.body;
  const { plain, gzip } = bodyOf(provider, [], rows);
  let compressed: Promise<Buffer> | undefined;
  const body: CodedBody = { plain, gzip: () => (compressed ??= gzip()) };
  made.set(provider, { rows, body });
  return body;
}

interface SharedBody {
  rows: readonly string[];
  body: CodedBody;
}

const sharedBodies = new WeakMap<Catalog, Map<VoiceProvider, SharedBody>>();

/** Runs off the main thread. */
const compress = promisify(gzip);

function bodyOf(provider: VoiceProvider, own: readonly OwnVoice[], rows: readonly string[]): CodedBody {
  const mine = own.map(({ voiceId, name }) => JSON.stringify({ provider: "provider_b", voice_id: voiceId, name, category: "cloned" }));
  const plain = Buffer.from(`{"object":"list","provider":"${provider}","data":[${[...mine, ...rows].join(",")}]}`);
  return { plain, gzip: () => compress(plain) };
}

// The providers' voices as JSON text, ready to send: read from one provider for each family, cached for 5 minutes in this process
// (docs/behaviour/audio.md#voices).

type VoiceRecord = components["schemas"]["VoiceOfFamilyA"] | components["schemas"]["VoiceOfFamilyB"];

/** JSON rows with commas between them; null: the family has none. */
type VoiceRows = string | null;

type Reading = Pick<Context, "catalog" | "providers" | "clock" | "log">;

/** Reads a family's rows; fails with provider_error. */
type ReadRows = (context: Reading, requestId: string) => Promise<Kept<VoiceRows>>;

const times = { freshMs: 300_000, failureMs: 2_000 };
/** For all pages of a provider together. */
const readMaxMs = 60_000;

/** Null where no provider can be asked for the family: no model of it is active, or the provider's protocol lists no voices. */
function rowsOf({ catalog, providers }: Pick<Context, "catalog" | "providers">, family: VoiceFamily): ReadRows | null {
  const asked = askedOf(catalog, family);
  const list = asked && providers.voices[asked.route.provider.protocol];
  if (!asked || !list) return null;
  const keeping = keepers.get(catalog) ?? { provider_a: keepFresh<VoiceRows>(times), provider_b: keepFresh<VoiceRows>(times) };
  keepers.set(catalog, keeping);
  return ({ clock, log }, requestId) =>
    keeping[family](
      () => clock().getTime(),
      () => read({ log }, { ...asked, list, requestId }, family),
    );
}

type Keeper = ReturnType<typeof keepFresh<VoiceRows>>;

const keepers = new WeakMap<Catalog, Record<VoiceFamily, Keeper>>();

function askedOf(catalog: Catalog, family: VoiceFamily): { model: Model; route: Route } | null {
  for (const model of catalog.models.values()) {
    const route = model.routes[0];
    if (model.voiceFamily === family && model.capability === null && model.state.kind === "active" && route) return { model, route };
  }
  return null;
}

interface Asked {
  model: Model;
  route: Route;
  list: ListVoices;
  /** Of the request that started the read. */
  requestId: string;
}

async function read({ log }: Pick<Context, "log">, { model, route, list, requestId }: Asked, family: VoiceFamily): Promise<VoiceRows> {
  try {
    const signal = AbortSignal.timeout(readMaxMs);
    const voices = await list({ route, signal, requestId, publicModel: model.id });
    if (voices.length === 0) return null;
    return voices.map((voice) => JSON.stringify(recordOf(voice, family))).join(",");
  } catch (cause) {
    const why = cause instanceof UpstreamError ? failureOf(cause) : { err: cause };
    log.warn({ ...why, provider: route.provider.id, request_id: requestId }, "the voices of a provider could not be read");
    return fail("provider_error", { cause });
  }
}

/** One family's contract has a sentence where the other's has tags. */
function recordOf({ voiceId, name, labels, previewUrl, description, tags }: ProviderVoice, family: VoiceFamily): VoiceRecord {
  const voice = { voice_id: voiceId, name, category: "premade" as const };
  const told = description ?? tags.join(", ");
  if (family === "provider_a")
    return { provider: family, ...voice, labels, preview_url: previewUrl, ...(told !== "" && { description: told }) };
  return { provider: family, ...voice, description: tags.length === 0 && told !== "" ? [told] : tags };
}

// A cache for one value that is slow to read. Callers during a read wait for that read, and a failed read is not repeated at once: in an
// outage a thousand callers cause one read every other second, not a thousand.

interface KeptTimes {
  /** How long a value is served, from the start of its read. It is never served longer, whatever becomes of the next read. */
  freshMs: number;
  /** How long a failure is served before the next read. */
  failureMs: number;
}

interface Kept<T> {
  value: T;
  /** Whether the value was cached; false: the caller waited for the read. */
  cached: boolean;
}

/** `read` has a deadline of its own; no disconnect ends it. */
function keepFresh<T>({ freshMs, failureMs }: KeptTimes): (now: () => number, read: () => Promise<T>) => Promise<Kept<T>> {
  let kept: { value: T; since: number } | null = null;
  let failed: { error: unknown; since: number } | null = null;
  let reading: Promise<T> | null = null;

  const begin = async (now: () => number, read: () => Promise<T>): Promise<T> => {
    const since = now();
    try {
      const value = await read();
      kept = { value, since };
      failed = null;
      return value;
    } catch (error) {
      failed = { error, since: now() };
      throw error;
    } finally {
      reading = null;
    }
  };

  return async (now, read) => {
    if (reading === null) {
      const at = now();
      if (kept !== null && isWithin(at - kept.since, freshMs)) return { value: kept.value, cached: true };
      kept = null;
      if (failed !== null && isWithin(at - failed.since, failureMs)) throw failed.error;
      reading = begin(now, read);
      // All callers may have disconnected by then.
      reading.catch(() => undefined);
    }
    return { value: await reading, cached: false };
  };
}

/** A clock that was set back makes an age meaningless. */
function isWithin(age: number, ms: number): boolean {
  return age >= 0 && age < ms;
}
