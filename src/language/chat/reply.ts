// Writes a chat answer as server-sent events (docs/behaviour/streams.md#chunks).
import type { components } from "../../../generated/api.d.ts";
import type { Ask } from "../../calls/ask.ts";
import { streamFault } from "../../calls/event-stream.ts";
import type { Model } from "../../catalog/types.ts";
import type { Context } from "../../context.ts";
import { toUsd } from "../../money.ts";
import type { ChatRecord, ChatStream, ChatTally } from "../../providers/verbs/chat.ts";
import type { StreamedAnswer, StreamEncoder } from "../stream-answer.ts";
import { serverToolUse, type TokenBill } from "../token-call.ts";

export type StreamedChat = StreamedAnswer<ChatStream>;

export function chatEncoder(context: Pick<Context, "publicUrl">, served: StreamedChat, withUsage: boolean): StreamEncoder<ChatRecord> {
  return dataEncoder(context, served, withUsage, {
    head: ({ id, created }, model) => ({ id, object: "chat.completion.chunk", created, model }),
    record: ({ json }) => `data: ${json}\n\n`,
    broken: { index: 0, delta: {}, finish_reason: "error" },
  });
}

/** What the request says about usage in its stream, else what its key says. */
export function usageAsked({ caller }: Pick<Ask, "caller">, options: { include_usage?: boolean | null } | null | undefined): boolean {
  return options?.include_usage ?? caller.policy?.streamUsage ?? false;
}

/** What distinguishes chat's records from those of text completions. */
interface DataWords {
  /** The fields of the records that the gateway adds itself. */
  head(tally: ChatTally, model: string): object;
  record(record: ChatRecord): string;
  /** The last choice of an interrupted stream. */
  broken: object;
}

/** Records without event names, then usage where the client asked for it, then [DONE]. */
export function dataEncoder(
  context: Pick<Context, "publicUrl">,
  { ask, call, source }: StreamedChat,
  withUsage: boolean,
  { head, record, broken }: DataWords,
): StreamEncoder<ChatRecord> {
  const { model } = call.admitted;
  const line = (more: object) => dataLine({ ...head(source.tally, model.id), ...more });
  return {
    record,
    keepAlive: ": keep-alive\n\n",
    end: (bill) => `${withUsage ? line({ choices: [], usage: chatUsage(bill, model) }) : ""}data: [DONE]\n\n`,
    // Clients look for a top-level `error` with a string message and miss it anywhere else (docs/behaviour/streams.md#interrupted).
    interrupted: () => `${line({ choices: [broken], error: streamFault(context, ask) })}data: [DONE]\n\n`,
  };
}

export function dataLine(record: object): string {
  return `data: ${JSON.stringify(record)}\n\n`;
}

// The usage block of a chat answer, the same streamed and whole.

type ChatUsage = components["schemas"]["ChatUsage"];

export function chatUsage(bill: TokenBill, model: Pick<Model, "supports">): ChatUsage {
  const { usage, cost, cacheDiscount } = bill;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, ...(usage.cacheWrite > 0 ? { cache_write_tokens: usage.cacheWrite } : {}) },
    ...(model.supports.reasoning || usage.reasoning > 0 ? { completion_tokens_details: { reasoning_tokens: usage.reasoning } } : {}),
    ...serverToolUse(bill),
    cost: toUsd(cost),
    cache_discount: toUsd(cacheDiscount),
  };
}
