// An audio call: gate, rate, slot and hold, then its charge. Its cost is known before it begins, or as soon as a recording is measured.
import type { Ask } from "../calls/ask.ts";
import { endUnserved, openCall, type PaidCall, type Settled } from "../calls/call.ts";
import { wasStopped } from "../calls/upstream-connection.ts";
import { aborted, type Bill, type Hold, noError } from "../calls/log-row.ts";
import { tryReserving } from "../calls/quote.ts";
import { assertMayUse, refuseUnpaid } from "../calls/refusals.ts";
import type { Resolved } from "../catalog/resolve.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../errors/fail.ts";
import { uuidv7 } from "../ids.ts";
import type { Reserved, Slot } from "../ledger/reserve.ts";
import { type AudioKind, slotOf } from "../limits/slots.ts";
import type { Amount } from "../money.ts";
import { type AudioCharge, audioCost } from "../pricing/audio-cost.ts";
import { usedByAudio } from "../pricing/expense.ts";
import type { Candidate } from "../routing/candidates.ts";

interface AudioPlan {
  asked: Resolved;
  /** Null: the call needs no slot. */
  slot: AudioKind | null;
  stream: boolean;
  /** In the order in which they are tried. */
  routes: () => readonly Candidate[];
  /** Its price is known only once a recording is loaded. */
  unmeasured?: true;
}

interface AudioCost extends Bill {
  charge: AudioCharge;
}

/** The charge, and the account's balance after it. */
export type AudioBill = Pick<Settled<AudioCost>, "charge" | "cost" | "balance">;

interface AudioHold extends Hold {
  /** The account's balance before this charge: what it could spend, plus what its other calls hold. */
  balance: Amount;
}

export interface AudioCall extends PaidCall<AudioHold, AudioCost> {
  /** Raises the hold to a higher cost. Where that can't be paid, the call is refused and uncounted, and its hold stays as it was. */
  raise(charge: AudioCharge): Promise<void>;
  /** The audio is whole. The charge is committed when it resolves. */
  complete(charge: AudioCharge): Promise<AudioBill>;
  /** The client disconnected, or read so slowly that the upstream gave up. It pays for what was made. */
  aborted(charge: AudioCharge): Promise<AudioBill>;
  /** The client disconnected before an answer began. It pays where an upstream had the request and was told to stop. */
  disconnected(): Promise<void>;
}

type Opening = Pick<Context, "db" | "catalog" | "ledger" | "admitCall" | "clock" | "log" | "countAttempt" | "publicUrl">;

/**
 * `priced` returns the cost, or the least that it can be. It runs after the rate limit has counted and before anything is held, so that a
 * recording that can't be measured is uncounted again. Fails with model_requires_paid, permission_denied, rate_limit_exceeded,
 * audio_concurrent_limit, insufficient_credits or key_limit_reached, or as `priced` does.
 */
export async function openAudioCall(
  context: Opening,
  ask: Ask,
  plan: AudioPlan,
  priced: () => AudioCharge | Promise<AudioCharge>,
): Promise<AudioCall> {
  const { asked: admitted, stream } = plan;
  const { caller } = ask;
  const { model } = admitted;
  await assertMayUse(context, caller, model);
  const { rate, charge, hold } = await holdAudio(context, ask, plan, priced);
  let planned = charge;
  const nothing = costOf({ ...charge, units: 0 });
  const used = () => usedByAudio(planned); // a provider bills all that it was asked for, charged or not
  const paid = openCall<AudioHold, AudioCost>(context, ask, { admitted, stream, hold, rate, nothing, used });
  const call: AudioCall = Object.assign(paid, {
    async raise(charge: AudioCharge) {
      planned = charge;
      const want = audioCost(charge);
      if (want <= hold.granted) return;
      try {
        const reserved = await context.ledger.raise({ accountId: caller.accountId, id: hold.id, want });
        if (reserved.granted === null) await refuseUnpaid(context, { caller, model, need: want }, withoutHold(hold, reserved));
      } catch (error) {
        rate.giveBack();
        throw error;
      }
      hold.granted = want;
    },
    complete: (charge: AudioCharge) => paid.settle(costOf(charge), { status: "success", http_status: 200, ...noError, estimated: false }),
    aborted: (charge: AudioCharge) => paid.settle(costOf(charge), { ...aborted, ...noError, estimated: false }),
    async disconnected() {
      await call.aborted(wasStopped(call) ? planned : { ...planned, units: 0 });
    },
  });
  return call;
}

/** If `work` throws, ends the call uncharged and rethrows in the operation's own codes. */
export async function whileOpen<T>(context: Pick<Context, "log">, call: AudioCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw await endUnserved(context, call, thrown);
  }
}

function costOf(charge: AudioCharge): AudioCost {
  const { prices, units } = charge;
  return { charge, cost: audioCost(charge), prices, usage: null, units, unit: prices.unit };
}

/** Refuses with 429 where the slots are taken (docs/behaviour/limits.md#slots), with 402 where it can't be paid. */
async function holdAudio(
  context: Opening,
  { caller, callId, addHeaders, quote }: Ask,
  { asked, slot: kind, routes, unmeasured }: AudioPlan,
  priced: () => AudioCharge | Promise<AudioCharge>,
) {
  const { catalog } = context;
  const { model } = asked;
  const needed = async () => {
    const slot = kind === null ? null : slotOf(catalog.tiers, tierOf(catalog, caller), kind);
    const charge = await priced();
    return { slot, charge, cost: audioCost(charge) };
  };
  let need: Awaited<ReturnType<typeof needed>> | undefined;
  const id = callId ?? uuidv7(context.clock());
  const limited = { caller, model, tokens: { input: 0, output: 0 }, addHeaders };
  const wanted = async () => {
    need = await needed();
    return { id, want: need.cost, least: need.cost, ...(need.slot !== null && { slot: need.slot }) };
  };
  if (quote !== undefined) {
    const holding = await wanted();
    const likely = async () => ({ cost: holding.want, basis: unmeasured ? ("least" as const) : ("ordered" as const), tokens: null });
    const hold = tryReserving(context, caller, holding, (refused) => slotRefusal(need!.slot, refused));
    quote({ admitted: asked, tokens: limited.tokens, ...holding, affordable: null, hold, likely, routes });
  }
  const { rate, reserved } = await context.admitCall(catalog, limited, wanted);
  const { slot, charge, cost } = need!;
  const noSlot = slotRefusal(slot, reserved.refused);
  if (noSlot !== null) throw noSlot;
  if (reserved.granted === null) await refuseUnpaid(context, { caller, model, need: cost }, reserved);
  const hold: AudioHold = { id, granted: cost, balance: reserved.available + reserved.reserved };
  return { rate, charge, hold };
}

/** Null: there was one, or none is needed. */
function slotRefusal(slot: Slot | null, refused: Reserved["refused"]): ApiError | null {
  if (slot === null || (refused !== "slot" && refused !== "group")) return null;
  const text: Record<string, string | number> =
    refused === "slot" ? { limit: slot.poolMax, capability: slot.pool } : { limit: slot.groupMax ?? slot.poolMax };
  return new ApiError("audio_concurrent_limit", { text });
}

/** What could be spent without this call, which holds something already. */
function withoutHold({ granted }: Hold, { refused, available, reserved, keyLeft }: Reserved): Omit<Reserved, "granted"> {
  return { refused, available: available + granted, reserved: reserved - granted, keyLeft: keyLeft === null ? null : keyLeft + granted };
}
