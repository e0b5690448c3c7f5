// A voice that was made, as its caller gets it.
import type { components } from "../../generated/api.d.ts";
import { toUsd } from "../money.ts";
import type { MadeVoice } from "./make-voice.ts";

export function madeVoiceAnswer({ asked: { model, alias }, voiceId, name, bill }: MadeVoice) {
  const body: components["schemas"]["MadeVoice"] = {
    voice_id: voiceId,
    name,
    model: model.id,
    cost_usd: toUsd(bill.cost),
    balance_usd: toUsd(bill.balance),
  };
  const headers: Record<string, string> = alias === null ? {} : { "x-svc-alias": alias };
  return { status: 200 as const, headers, body };
}
