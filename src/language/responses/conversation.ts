// A conversation under /v1/responses: whose turn it is, what a request that names one reads of it, and what is added once its answer is charged.
import type { components } from "../../../generated/api.d.ts";
import type { Caller } from "../../accounts/caller.ts";
import { endTurn, giveTurnBack, keepTurn, keepTurnEveryMs, leaveInput, takeTurn, type Turn } from "../../accounts/conversation-turns.ts";
import {
  conversationBytesMax,
  type Item,
  itemsMax,
  parseConversationId,
  type Place,
  readConversation,
  readItems,
} from "../../accounts/conversations.ts";
import { storesResponses } from "../../accounts/stored-responses.ts";
import type { Ask } from "../../calls/ask.ts";
import { keepDoing } from "../../concurrency/keep-doing.ts";
import type { Context } from "../../context.ts";
import { fail, failParameter } from "../../errors/fail.ts";
import { cutId, uuidv7 } from "../../ids.ts";
import { parseJson } from "../../json/parse.ts";
import type { Reply, Sink } from "../../operation.ts";
import type { Keep } from "./reply.ts";
import { conversationNamed } from "./response-object.ts";
import type { InputItem, ResponseRequest } from "./types.ts";

type Parts = Pick<Context, "db" | "config" | "clock">;
export type StoredItem = components["schemas"]["ResponseStoredItem"];

/** Fails with conversation_not_found. `param`: the field that names it. */
export function placeOf(context: Parts, caller: Caller, shownId: string, param?: string): Place {
  const id = parseConversationId(shownId);
  if (id === undefined || !storesResponses(context.config, caller)) return failUnknown(context, caller, shownId, param);
  return { accountId: caller.accountId, id };
}

/** Where a workspace stores nothing. */
export const resendHint = "nothing is stored here, so send the whole conversation to POST /v1/responses";

export function failUnknown({ config }: Pick<Context, "config">, caller: Caller, shownId: string, param?: string): never {
  return fail("conversation_not_found", {
    ...(param === undefined ? {} : { param }),
    text: { id: cutId(shownId), ...(storesResponses(config, caller) ? {} : { hint: resendHint }) },
  });
}

export function failLocked(param?: string): never {
  return fail("conversation_locked", param === undefined ? {} : { param });
}

// What a request goes on with.

/** Before either is looked for. */
export function assertOnePast(conversation: string | null, previous: ResponseRequest["previous_response_id"]): void {
  if (conversation !== null && previous != null) failParameter("conversation", "it cannot be sent together with previous_response_id");
}

export interface GoingOn extends Place {
  bytes: number;
}

/** Fails where it is unknown, or has no room for so many items more. */
export async function measureGoingOn(context: Parts, caller: Caller, shownId: string, input: ResponseRequest["input"]): Promise<GoingOn> {
  const place = placeOf(context, caller, shownId, "conversation");
  const { items, bytes } = (await readConversation(context, place)) ?? failUnknown(context, caller, shownId, "conversation");
  const more = typeof input === "string" ? 1 : input.length;
  const moreBytes = Buffer.byteLength(typeof input === "string" ? input : JSON.stringify(input));
  if (items + more > itemsMax) failParameter("conversation", `it has no room for more than ${itemsMax} items: create another one`);
  if (bytes + moreBytes > conversationBytesMax)
    failParameter("conversation", `it has no room for more than ${conversationBytesMax / 1024 ** 2} MB: create another one`);
  return { ...place, bytes };
}

export async function readGoingOn(context: Parts, place: Place): Promise<InputItem[]> {
  const items = (await readItems(context, place, { after: undefined, order: "asc", limit: null })) ?? [];
  return items.map(({ json }) => parseJson(json) as InputItem);
}

// Turns.

/** A response that goes on with a conversation, which no other does meanwhile. */
export interface Adding {
  /** Leaves its input with the conversation, once an upstream answers. What the answer then adds; a failure is logged and costs only that. */
  begin(input: readonly Item[]): Promise<(output: readonly Item[]) => Promise<void>>;
}

type CreateReply = Reply<"createResponse">;

/** Does the work of a request in its conversation's turn, which ends with the answer or its stream. Null: it adds to none. */
export async function inTurn(
  context: Parts & Pick<Context, "log">,
  { caller, requestId, quote }: Pick<Ask, "caller" | "requestId" | "quote">,
  { conversation, previous_response_id: previous, generate }: Pick<ResponseRequest, "conversation" | "previous_response_id" | "generate">,
  work: (adding: Adding | null) => Promise<CreateReply>,
): Promise<CreateReply> {
  const named = conversationNamed(conversation);
  // A quote is about the request that follows.
  if (named === null || quote !== undefined || generate === false || !storesResponses(context.config, caller)) return await work(null);
  assertOnePast(named, previous);
  const turn = { ...placeOf(context, caller, named, "conversation"), turn: uuidv7(context.clock()) };
  const taken = (await takeTurn(context, turn)) ?? failUnknown(context, caller, named, "conversation");
  if (taken === "locked") failLocked("conversation");
  const held = holdTurn(context, requestId, turn);
  let streams = false;
  try {
    const reply = await work(held);
    if (!("stream" in reply)) return reply;
    streams = true;
    return { ...reply, stream: streamInTurn(reply.stream, held) };
  } finally {
    if (!streams) await held.end();
  }
}

/** Made apart: a stream must not hold its request. */
function streamInTurn(stream: (sink: Sink) => Promise<void>, held: { end(): Promise<void> }) {
  return (sink: Sink) => stream(sink).finally(held.end);
}

function holdTurn(context: Parts & Pick<Context, "log">, requestId: string, turn: Turn) {
  const { log } = context;
  let open = true;
  const lost = (err: unknown) => log.error({ err, request_id: requestId }, "a turn of a conversation could not be kept");
  const keeping = keepDoing(keepTurnEveryMs, () => keepTurn(context, turn).catch(lost));
  return {
    async begin(input: readonly Item[]) {
      await leaveInput(context, turn, input).catch(lost);
      return async (output: readonly Item[]) => {
        await endTurn(context, turn, output).then((added) => (open = !added), lost);
      };
    },
    /** Nothing is added from now on. Never rejects. */
    async end() {
      await keeping.stop();
      if (open) await giveTurnBack(context, turn).catch(lost);
      open = false;
    },
  };
}

/** The answer's output, as it is added. */
export function addingTo(add: (output: readonly Item[]) => Promise<void>, keep: Keep | null): Keep {
  return async (response) => {
    await add(response.output.map((item) => itemOf(item)));
    return keep === null ? response : await keep(response);
  };
}

export function itemOf(item: { id: string } & object): Item {
  return { id: item.id, json: JSON.stringify(item) };
}

// Items as they are kept.

export function itemsOf(input: ResponseRequest["input"]): InputItem[] {
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
}

const prefixes: Record<string, string> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  compaction: "cmp",
};

/** As they are listed, and as a later request has them before its own. */
export function storedItems(input: ResponseRequest["input"], idTail: string): StoredItem[] {
  return itemsOf(input).map((item, index) => {
    const type = item.type ?? "message";
    const id = `${prefixes[type] ?? "item"}_${idTail}_i${index}`;
    if (type !== "message") return { ...item, id, type };
    const { role, content } = item;
    const kind = role === "assistant" ? { type: "output_text", annotations: [] } : { type: "input_text" };
    return { ...item, id, type, status: "completed", content: typeof content === "string" ? [{ ...kind, text: content }] : content };
  });
}
