// The voices that the providers have, as JSON text that is ready to be sent: read from one provider a family, kept for 5 minutes in this process
// (gateway-api.md, GET /v1/audio/voices; OPERATOR.md, the provider that is asked).
import type { components } from "../../generated/api.d.ts";
import type { Catalog, Model, VoiceFamily } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { failureOf } from "../providers/errors/failure.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Route } from "../providers/types.ts";
import type { ListVoices, ProviderVoice } from "../providers/verbs/audio.ts";

type VoiceRecord = components["schemas"]["VoiceOfFamilyA"] | components["schemas"]["VoiceOfFamilyB"];

/** Rows in JSON with commas between them; null: the family has none. */
export type VoiceRows = string | null;

export type Reading = Pick<Context, "catalog" | "providers" | "clock" | "log">;

/** Gives a family's rows; fails with provider_error. */
export type ReadRows = (context: Reading, requestId: string) => Promise<Kept<VoiceRows>>;

const times = { freshMs: 300_000, failureMs: 2_000 };
/** For all pages of a provider together. */
const readMaxMs = 60_000;

/** Null: nobody can be asked for voices of the family: no model of it is active, or its provider's protocol lists none. */
export function rowsOf({ catalog, providers }: Pick<Context, "catalog" | "providers">, family: VoiceFamily): ReadRows | null {
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
  /** Of the first who asked. */
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

/** What one kind of provider says in a sentence, another says in tags. */
function recordOf({ voiceId, name, labels, previewUrl, description, tags }: ProviderVoice, family: VoiceFamily): VoiceRecord {
  const voice = { voice_id: voiceId, name, category: "premade" as const };
  const told = description ?? tags.join(", ");
  if (family === "provider_a")
    return { provider: family, ...voice, labels, preview_url: previewUrl, ...(told !== "" && { description: told }) };
  return { provider: family, ...voice, description: tags.length === 0 && told !== "" ? [told] : tags };
}

// One value that is costly to read, kept for a while. Whoever asks while it is read waits for that same read, and a read that failed is
// not begun again at once: an outage with a thousand callers is asked about every other second, not a thousand times.

interface KeptTimes {
  /** How long a value may be given out, from when its read began. Older ones never are, however the next read ends. */
  freshMs: number;
  /** How long nobody asks again after a failure. */
  failureMs: number;
}

interface Kept<T> {
  value: T;
  /** It was here already; false: whoever asked waited for the read. */
  cached: boolean;
}

/** `read` has a deadline of its own: nobody's leaving ends it. */
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
      // All who asked may have left by then.
      reading.catch(() => undefined);
    }
    return { value: await reading, cached: false };
  };
}

/** A clock that was set back says nothing of an age. */
function isWithin(age: number, ms: number): boolean {
  return age >= 0 && age < ms;
}
