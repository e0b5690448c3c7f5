// The list of voices: the account's own first, then those of the families' providers (docs/behaviour/audio.md#voices).
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { components } from "../../generated/api.d.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Catalog, VoiceFamily } from "../catalog/types.ts";
import { GatewayStopping } from "../concurrency/stopping.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { type ReadRows, rowsOf } from "./voice-catalogs.ts";
import { type OwnVoice, voicesOf } from "./voice-owner.ts";

type VoiceProvider = components["schemas"]["VoiceProvider"];

export interface VoiceList {
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
