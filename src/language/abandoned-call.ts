// A token-billed call whose caller disconnects: whether its upstream is to stop, and what is charged (docs/behaviour/billing.md#ends).
import { wasStopped } from "../calls/upstream-connection.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { newTally } from "../providers/transport/read-stream.ts";
import type { Tally, Whole } from "../providers/types.ts";
import type { Candidate } from "../routing/candidates.ts";
import type { Usage } from "../usage.ts";
import { countPrompt } from "./counted-usage.ts";
import { countedOutputTokens } from "./prompt-size.ts";
import type { TokenBill, TokenCall } from "./token-call.ts";

/**
 * Says whether the upstream is to stop when the caller disconnects; else it is read on: for the end of the answer, or for the usage behind it.
 * `shows`: all that is billed is seen in its stream, reasoning aside. `answered.tally` is set once a stream has begun. Made here, because it lives as long as the answer and must keep nothing of the request.
 */
export function stopsOnDisconnect({ route, model }: Candidate, shows: boolean, answered: { tally: Tally | null }): () => boolean {
  const { onDisconnect } = route.provider;
  return () => {
    const { tally } = answered;
    if (tally?.finished) return false;
    return onDisconnect === null ? shows && !thinksUnseen(model, tally) : onDisconnect === "cancel";
  };
}

/** Whether the model may think without showing it, so that what was received says little about what is billed. */
function thinksUnseen({ supports }: Model, tally: Tally | null): boolean {
  return supports.reasoning && !tally?.reasoned;
}

type Charging = Pick<Context, "log">;

/** Charges what a stream that has begun consumed: as measured, or what was received. */
export async function chargeReceived(context: Charging, { call, source }: { call: TokenCall; source: { tally: Tally } }): Promise<void> {
  await chargeTally(context, call, source.tally);
}

/** Charges an answer that is whole. */
export function chargeWhole(context: Charging, call: TokenCall, { usage }: Whole, characters: () => number): Promise<TokenBill> {
  return chargeTally(context, call, { ...newTally(), usage, characters: usage === null ? characters() : 0, finished: true });
}

async function chargeTally(context: Charging, call: TokenCall, tally: Tally): Promise<TokenBill> {
  const { model, route } = call.served!;
  const hidden =
    (thinksUnseen(model, tally) || call.size.billsUnseen === true) && (tally.finished || route.provider.onDisconnect !== "cancel");
  const later = laterOutput(tally);
  return await call.aborted(later === 0 ? tally.usage : null, () => receivedUsage(context, call, tally, hidden));
}

/** A call of several requests whose caller disconnected before all were sent: those that were are charged. */
export class UnfinishedCall extends Error {
  /** Of the requests that were sent; null: not all of it was reported. */
  readonly usage: Usage | null;
  readonly counted: () => Promise<Usage>;

  constructor(usage: Usage | null, counted: () => Promise<Usage>) {
    super("the caller disconnected before all was asked");
    this.usage = usage;
    this.counted = counted;
  }
}

/** Charges what was sent to an upstream that was told to stop before its answer began. A failure of its own is free. */
export async function chargeUnanswered(context: Charging, call: TokenCall, thrown: unknown): Promise<void> {
  if (!wasStopped(call)) return await call.unsent();
  call.served = call.attempts.at(-1)!.candidate; // the one that was stopped
  if (thrown instanceof UnfinishedCall) await call.aborted(thrown.usage, thrown.counted);
  else await call.aborted(null, () => receivedUsage(context, call, newTally(), false));
}

/**
 * What the upstream reported, and what it sent after that. Where it reported nothing, the prompt with its media at their bound, and the
 * output received. `hidden`: the model may have thought up to its cap.
 */
async function receivedUsage(context: Charging, { size, hold }: TokenCall, tally: Tally, hidden: boolean): Promise<Usage> {
  const boundPrompt = async () =>
    Math.min((await countPrompt(context, size)) + size.uncountedMax(hold.imageTokensMax), hold.bounds.inputMax);
  const input = tally.usage ?? tally.prompt ?? { input: await boundPrompt(), cacheRead: 0, cacheWrite: 0 };
  const output = (tally.usage?.output ?? 0) + laterOutput(tally);
  return { reasoning: 0, ...input, output: hidden ? Math.max(output, hold.outputMax * hold.choices) : output };
}

/** Output tokens that no report covers. */
function laterOutput({ deltas, characters, covered }: Tally): number {
  return countedOutputTokens(Math.max(0, deltas - covered.deltas), Math.max(0, characters - covered.characters));
}
