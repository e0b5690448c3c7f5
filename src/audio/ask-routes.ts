// Tries a model's routes for audio, one after the other. Another model never answers for music and speech.
import type { Ask } from "../calls/ask.ts";
import { callUpstream, type Connected } from "../calls/upstream-connection.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Context } from "../context.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Protocol, UpstreamCall } from "../providers/types.ts";
import type { MadeAudio } from "../providers/verbs/audio.ts";
import { attempt } from "../routing/attempt.ts";
import { adapterOf, type Candidate, candidatesOf } from "../routing/candidates.ts";
import type { AudioCall } from "./audio-call.ts";

/** The routes of the requested model; with a provider, only those there, and none of them counts as a fallback. */
export function routesOf(
  { catalog }: Pick<Context, "catalog">,
  { requestId }: Pick<Ask, "requestId">,
  { model }: Pick<Resolved, "model">,
  provider: string | null = null,
): readonly Candidate[] {
  const candidates = candidatesOf(
    catalog,
    model,
    () => false,
    () => requestId,
  );
  if (provider === null) return candidates;
  const its = candidates.filter(({ route }) => route.provider.id === provider);
  return its.map((candidate, index) => (index === 0 ? { ...candidate, layer: 0 } : candidate));
}

type Make<Order> = (call: UpstreamCall & { order: Order }) => Promise<MadeAudio>;

interface Asked<Order, Taken> {
  candidates: readonly Candidate[];
  adapters: Partial<Record<Protocol, Make<Order>>>;
  order: Order;
  /** Reads what a route made; where it rejects with UpstreamError, the next route is tried. */
  take: (made: MadeAudio) => Promise<Taken> | Taken;
}

export async function askRoutes<Order, Taken>(
  context: Pick<Context, "breakers">,
  ask: Ask,
  call: AudioCall,
  { candidates, adapters, order, take }: Asked<Order, Taken>,
): Promise<Taken> {
  const { result, candidate } = await attempt(candidates, context.breakers, ask.signal, call.attempts, async (candidate, heard) => {
    const make = adapterOf(adapters, candidate);
    return await callAudio(call, candidate, heard, async (upstream) => {
      const made = await make({ ...upstream, order });
      // A stream begins with its first byte; a whole answer may be empty, such as a WAV file without samples.
      if (made.kind === "whole" && made.bytes.length === 0) throw new UpstreamError("unreadable", "the audio is empty", { status: 200 });
      return await take(made);
    });
  });
  call.answeredBy(candidate);
  return result;
}

/** One attempt. A stream is told to stop when its caller disconnects: its price is the same however much of it was made. */
export function callAudio<Answer>(
  call: Connected & { stream: boolean },
  candidate: Candidate,
  heard: UpstreamCall["heard"],
  work: (upstream: UpstreamCall) => Promise<Answer>,
  streams = call.stream,
): Promise<Answer> {
  const stops = (candidate.route.provider.onDisconnect ?? (streams ? "cancel" : "drain")) === "cancel";
  return callUpstream(call, candidate, { heard, stops: () => stops, work });
}
