// The request adapter of messages: what a request needs of a model, how large its prompt is, how it is sent to a route.
import type { Model } from "../../catalog/types.ts";
import type { Context } from "../../context.ts";
import { type JsonText, spliceJson } from "../../providers/json/splice.ts";
import { hasThoughtOrCalled, shareOfEffort } from "../../providers/translation/message-types.ts";
import type { MessageStream, MessageWhole } from "../../providers/verbs/messages.ts";
import { adapterOf, type Candidate } from "../../routing/candidates.ts";
import type { RoutingWishes } from "../../routing/wishes.ts";
import { noToolCalls } from "../../usage.ts";
import { assertDeclares, declares } from "../chat/request.ts";
import { capFor, outputMaxOf } from "../chat/upstream-body.ts";
import { countPrompt } from "../counted-usage.ts";
import { prefixOf } from "../prefix.ts";
import type { RequestAdapter } from "../serve.ts";
import type { TokenHold } from "../token-hold.ts";
import { assertPriced, isPriced, serverToolOf, withheldEdits } from "../withheld-fields.ts";
import { assertReadable, callsMax, mayBeSummarized, messageRequirements, reads } from "./requirements.ts";
import { messageSize } from "./size.ts";

/** The request as JSON text, and parsed. */
interface MessageRequest {
  text: JsonText;
  body: MessageFields & Parameters<typeof messageRequirements>[0] & Parameters<typeof messageSize>[0] & { model: string; stream?: boolean };
  /** The header `anthropic-beta`; null where it was not sent. */
  betas: string | null;
}

export function messageAdapter(
  { providers, log }: Pick<Context, "providers" | "log">,
  { text, body, betas }: MessageRequest,
): RequestAdapter<MessageWhole, MessageStream> {
  const needs = messageRequirements(body);
  const stream = body.stream === true;
  return {
    model: body.model,
    type: "language",
    stream,
    assertFits(model) {
      assertReadable(model, needs);
      assertDeclares(model, needs);
      assertPriced(body, model, "tools");
    },
    fits: (other) => declares(other, needs) && isPriced(body, other, "tools") && reads(other, needs),
    measure: () => messageSize(body),
    cap: { asked: body.max_tokens ?? null, choices: 1 },
    tier: body.service_tier,
    routing: body.routing,
    toolCalls: (model) =>
      needs.serverTools.reduce(
        (sum, asked) => ({ ...sum, [asked.tool]: (sum[asked.tool] ?? 0) + (callsMax(model, asked) ?? 0) }),
        noToolCalls,
      ),
    summarizes: (model, size) => mayBeSummarized(model, needs, size),
    prefix: () => prefixOf(body.system, body.messages[0]),
    async call({ candidate, hold, size, upstream }) {
      const messages = adapterOf(providers.messages, candidate);
      return messages({
        ...upstream,
        body: messageBody(text, body, candidate, hold),
        stream,
        outputMax: outputMaxOf(candidate, hold),
        promptTokens: () => countPrompt({ log }, size),
        betas,
        serverTools: needs.serverTools.map(({ tool }) => tool),
      });
    },
    charactersOf,
  };
}

function charactersOf({ message, hiddenCharacters = 0 }: MessageWhole): number {
  return message.content.reduce((sum, block) => {
    if (block.type === "text") return sum + block.text.length;
    if (block.type === "thinking") return sum + block.thinking.length;
    if (block.type === "compaction") return sum + (block.content?.length ?? 0);
    if (block.type !== "tool_use" && block.type !== "server_tool_use") return sum;
    return sum + block.name.length + JSON.stringify(block.input).length;
  }, hiddenCharacters);
}

// The request body for one candidate, still in the Anthropic dialect: the caller's own bytes, with only those members replaced that have to
// change. The protocol adapters translate it and remove what an upstream must not get.

interface MessageFields extends ThoughtFields {
  max_tokens?: number;
  service_tier?: string;
  routing?: RoutingWishes;
  tools?: readonly { type?: string | null; max_uses?: number | null }[];
}

function messageBody(text: JsonText, body: MessageFields, candidate: Candidate, hold: TokenHold): JsonText {
  const cap = capFor(candidate, hold);
  const { model, route } = candidate;
  const budgetsOnly = ["anthropic", "vertex"].includes(route.provider.protocol) && route.thinking !== "adaptive";
  return spliceJson(text, {
    ...withheldEdits(body, candidate),
    model: JSON.stringify(route.model),
    ...(cap === null || cap === body.max_tokens ? {} : { max_tokens: String(cap) }),
    ...toolEdits(body, model),
    ...thinkingEdits(body, { model, budgetsOnly, cap, outputMax: outputMaxOf(candidate, hold) }),
  });
}

/** A provider's tool says how often it may be used: no more than what is held for. */
function toolEdits({ tools = [] }: MessageFields, model: Model): Edits {
  const bounded = tools.map((asked) => {
    const tool = serverToolOf(asked);
    const most = tool === null ? null : callsMax(model, { tool, maxUses: asked.max_uses ?? null });
    return most === null || most === asked.max_uses ? asked : { ...asked, max_uses: most };
  });
  return bounded.every((tool, index) => tool === tools[index]) ? {} : { tools: JSON.stringify(bounded) };
}

// The thinking of a message request, as JSON edits for one model (docs/behaviour/messages.md#thinking).

type Edits = Record<string, string | null>;

interface ThoughtFields {
  messages: readonly { role: string; content: string | readonly { type: string }[] }[];
  thinking?: { type: string; budget_tokens?: number };
  output_config?: { effort?: unknown; [key: string]: unknown } | null;
}

/** What the edits depend on: the model and the host that is asked. */
interface Thinker {
  model: Pick<Model, "supports" | "reasoningAlwaysOn">;
  /** True for a host of this dialect that takes budgets and no efforts. */
  budgetsOnly: boolean;
  /** The output cap that is sent; null: none. */
  cap: number | null;
  /** The longest answer, in tokens, with or without a cap. */
  outputMax: number;
}

function thinkingEdits(body: ThoughtFields, { model, budgetsOnly, cap, outputMax }: Thinker): Edits {
  const { thinking, output_config: config } = body;
  if (!model.supports.reasoning)
    return {
      ...(thinking === undefined ? {} : { thinking: null }),
      ...(config?.effort === undefined ? {} : { output_config: withEffort(config, undefined) }),
    };
  if (thinking === undefined) return {};
  // A model that cannot switch thinking off runs at low.
  if (thinking.type === "disabled" && model.reasoningAlwaysOn) {
    if (!budgetsOnly) return { thinking: null, output_config: withEffort(config, "low") };
    return { thinking: lowBudget(body, outputMax), output_config: withEffort(config, undefined) };
  }
  const { budget_tokens: budget, ...rest } = thinking;
  if (thinking.type !== "enabled" || budget === undefined) return {};
  // Lowered to one below the cap; a cap of 1 leaves none.
  const lowered = cap === null ? budget : Math.min(budget, cap - 1);
  if (lowered < 1 || hasThoughtOrCalled(body.messages)) return { thinking: JSON.stringify(rest) };
  return lowered === budget ? {} : { thinking: JSON.stringify({ ...thinking, budget_tokens: lowered }) };
}

/** The budget of effort low, on the first turn only. The adapter drops one that is too small for its host. */
function lowBudget({ messages }: ThoughtFields, outputMax: number): string | null {
  if (hasThoughtOrCalled(messages)) return null;
  return JSON.stringify({ type: "enabled", budget_tokens: Math.floor(outputMax * shareOfEffort.get("low")!) });
}

function withEffort(config: ThoughtFields["output_config"], effort: string | undefined): string | null {
  const { effort: _replaced, ...rest } = config ?? {};
  const changed = effort === undefined ? rest : { ...rest, effort };
  return Object.keys(changed).length === 0 ? null : JSON.stringify(changed);
}
