// How a chat answer is written as server-sent events (WIRE.md 2).
import type { Context } from "../context.ts";
import type { ChatRecord, ChatStream, ChatTally } from "../providers/types.ts";
import { chatUsage } from "./chat-usage.ts";
import type { OpenCall } from "./open-call.ts";
import type { Ask } from "./serve.ts";
import type { StreamForm } from "./stream-answer.ts";
import { streamFault } from "./stream-fault.ts";

export function chatForm(
  context: Pick<Context, "publicUrl">,
  ask: Ask,
  { call, source }: { call: OpenCall; source: ChatStream },
  usageAsked: boolean,
): StreamForm<ChatRecord> {
  const { model } = call.admitted;
  const line = (chunk: object) => `data: ${JSON.stringify({ ...chunkHead(source.tally, model.id), ...chunk })}\n\n`;
  return {
    record: ({ json }) => `data: ${json}\n\n`,
    keepAlive: ": keep-alive\n\n",
    end: (bill) => `${usageAsked ? line({ choices: [], usage: chatUsage(bill, model) }) : ""}data: [DONE]\n\n`,
    // WIRE.md 2.4: top-level `error` with a string message; clients miss it anywhere else.
    interrupted: () =>
      `${line({ choices: [{ index: 0, delta: {}, finish_reason: "error" }], error: streamFault(context, ask) })}data: [DONE]\n\n`,
  };
}

function chunkHead({ id, created }: Pick<ChatTally, "id" | "created">, model: string): Record<string, unknown> {
  return { id, object: "chat.completion.chunk", created, model };
}
