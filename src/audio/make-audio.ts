// The story that music and sound effects share: held at its price, made, measured where nobody knew its length before, then answered as
// it is or kept at a permanent address (gateway-api.md "POST /v1/audio/music").
import { randomBytes } from "node:crypto";
import type { Ask } from "../admission/ask.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Context } from "../context.ts";
import { uuidHex } from "../ids.ts";
import { toUsd } from "../money.ts";
import type { AudioCharge } from "../pricing/audio-cost.ts";
import type { MadeAudio } from "../providers/audio.ts";
import type { Protocol, UpstreamCall } from "../providers/types.ts";
import { audioFormats, type AudioFormat } from "../sound/formats.ts";
import { askRoutes, routesOf } from "./ask-routes.ts";
import { audioReply, billHeaders } from "./audio-reply.ts";
import { collectAudio, measureMade } from "./measure-made.ts";
import { type AudioCall, openAudioCall, whileOpen } from "./open-call.ts";

export interface MakePlan<Order extends { format: AudioFormat }> {
  asked: Resolved;
  charge: AudioCharge;
  order: Order;
  adapters: Partial<Record<Protocol, (call: UpstreamCall & { order: Order }) => Promise<MadeAudio>>>;
  /** As billed; null: to be measured. */
  seconds: number | null;
  /** At a permanent address. */
  keep: boolean;
}

export async function makeAudio<Order extends { format: AudioFormat }>(context: Context, ask: Ask, plan: MakePlan<Order>) {
  const { asked, charge, order, adapters, seconds: known, keep } = plan;
  const call = await openAudioCall(context, ask, { asked, slot: "speech", stream: false }, () => charge);
  return await whileOpen(context, ask, call, async () => {
    const candidates = routesOf(context, call);
    const answer = (seconds: number) => ({ charge, headers: headersOf(order, seconds), brokenCode: "provider_error" as const });
    if (known !== null && !keep) {
      const made = await askRoutes(context, ask, call, { candidates, adapters, order, take: (audio) => audio });
      return await audioReply(context, ask, call, made, answer(known));
    }
    const take = async (made: MadeAudio) => {
      const bytes = await collectAudio(made);
      return { bytes, seconds: known ?? (await measureMade(context.media, bytes, order.format, ask.signal)) };
    };
    const { bytes, seconds } = await askRoutes(context, ask, call, { candidates, adapters, order, take });
    if (keep) return await keptReply(context, ask, call, { charge, bytes, format: order.format, seconds });
    return await audioReply(context, ask, call, { kind: "whole", bytes }, answer(seconds));
  });
}

function headersOf({ format }: { format: AudioFormat }, seconds: number): Record<string, string> {
  return { "content-type": audioFormats[format].contentType, "x-svc-duration-sec": String(seconds) };
}

interface Keeping {
  charge: AudioCharge;
  bytes: Buffer;
  format: AudioFormat;
  seconds: number;
}

/** Kept before it is charged: nobody pays for what is then lost. What nobody paid for is removed again. */
async function keptReply(context: Context, { signal, requestId }: Ask, call: AudioCall, { charge, bytes, format, seconds }: Keeping) {
  const { media, publicUrl, log } = context;
  const { extension } = audioFormats[format];
  const { name } = await media.keepAudio({ bytes, name: randomBytes(16).toString("hex"), extension });
  try {
    signal.throwIfAborted();
    const bill = await call.complete(charge);
    return {
      status: 200 as const,
      headers: { ...billHeaders(call, bill), "x-svc-duration-sec": String(seconds) },
      body: {
        object: "audio.generation" as const,
        job_id: `aud_${uuidHex(call.hold.id)}`,
        kind: "audio" as const,
        model: call.plan.asked.model.id,
        url: `${publicUrl}/media/${name}`,
        duration_sec: seconds,
        cost_usd: toUsd(bill.cost),
        balance_usd: toUsd(bill.balance),
      },
    };
  } catch (error) {
    await media.store
      .remove(name)
      .catch((cause: unknown) =>
        log.error({ err: cause, request_id: requestId, name }, "a file that nobody paid for could not be removed"),
      );
    throw error;
  }
}
