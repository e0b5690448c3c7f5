// Conversations as their endpoints make and change them: what may be in one, and how it is shown.
import type { components } from "../../../generated/api.d.ts";
import type { Caller } from "../../accounts/caller.ts";
import {
  addItems,
  type Conversation,
  conversationIdText,
  conversationBytesMax,
  conversationsMax,
  createConversation,
  deleteItem,
  type Item,
  itemsMax,
  type Page,
  readConversation,
  readItem,
  readItems,
  setMetadata,
} from "../../accounts/conversations.ts";
import { storesResponses } from "../../accounts/stored-responses.ts";
import { unixSeconds } from "../../clock.ts";
import type { Context } from "../../context.ts";
import { ApiError, fail, failParameter } from "../../errors/fail.ts";
import { cutId, uuidHex, uuidv7 } from "../../ids.ts";
import { parseJson } from "../../json/parse.ts";
import type { Request } from "../../operation.ts";
import { assertItemAddresses } from "../part-addresses.ts";
import { toChatRequest } from "./chat-request.ts";
import { openSummaries } from "./compaction.ts";
import { failLocked, failUnknown, itemOf, placeOf, type StoredItem, storedItems } from "./conversation.ts";
import type { InputItem } from "./types.ts";

type Metadata = Record<string, string> | null;
type Asking = Pick<Request, "caller" | "requestId" | "receivedAt">;
type Shown = components["schemas"]["Conversation"];

export async function makeConversation(
  context: Context,
  request: Asking,
  { items, metadata }: { items?: readonly InputItem[] | null; metadata?: Metadata },
): Promise<Shown> {
  const { caller, receivedAt: createdAt } = request;
  if (!storesResponses(context.config, caller)) failStateless();
  const made = { accountId: caller.accountId, id: uuidv7(context.clock()), createdAt, metadata: metadataText(metadata ?? null) };
  const state = await createConversation(context, made, await checkedItems(context, request, items ?? []));
  if (state === "full") fail("conversation_limit_reached", { text: { count: conversationsMax } });
  if (state === null) failStateless();
  return shown(made);
}

function failStateless(): never {
  return fail("stateless_only", {
    text: { param: "A conversation", instead: "send all of it as input to POST /v1/responses, with store: false" },
  });
}

/** Fails with conversation_not_found, as do all below. */
export async function findConversation(context: Context, caller: Caller, shownId: string): Promise<Shown> {
  const found = await readConversation(context, placeOf(context, caller, shownId));
  return shown(found ?? failUnknown(context, caller, shownId));
}

export async function changeMetadata(context: Context, caller: Caller, shownId: string, metadata: Metadata): Promise<Shown> {
  const changed = await setMetadata(context, placeOf(context, caller, shownId), metadataText(metadata));
  return shown(changed ?? failUnknown(context, caller, shownId));
}

function shown({ id, createdAt, metadata }: Conversation): Shown {
  return {
    ...{ id: conversationIdText(id), object: "conversation", created_at: unixSeconds(createdAt) },
    metadata: parseJson(metadata) as Record<string, string>,
  };
}

const keyMax = 64;

function metadataText(metadata: Metadata): string {
  const long = Object.keys(metadata ?? {}).find((key) => key.length > keyMax);
  if (long !== undefined) failParameter("metadata", `its keys have at most ${keyMax} characters`);
  return JSON.stringify(metadata ?? {});
}

// Items.

export async function listItems(context: Context, caller: Caller, shownId: string, page: Page & { limit: number }) {
  const place = placeOf(context, caller, shownId);
  await findConversation(context, caller, shownId);
  const items =
    (await readItems(context, place, { ...page, limit: page.limit + 1 })) ?? failParameter("after", "it must be an id of this list");
  return listOf(items.slice(0, page.limit), items.length > page.limit);
}

function listOf(items: readonly Item[], more: boolean) {
  const data = items.map(({ json }) => parseJson(json) as StoredItem);
  return {
    ...{ object: "list" as const, data, has_more: more },
    ...{ first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null },
  };
}

export async function addToConversation(context: Context, request: Asking, shownId: string, input: readonly InputItem[]) {
  const { caller } = request;
  const place = placeOf(context, caller, shownId);
  await findConversation(context, caller, shownId);
  const items = await checkedItems(context, request, input);
  const state = (await addItems(context, place, items)) ?? failUnknown(context, caller, shownId);
  if (state === "locked") failLocked();
  if (state === "full")
    failParameter("items", `a conversation has room for ${itemsMax} items and ${conversationBytesMax / 1024 ** 2} MB: create another one`);
  return listOf(items, false);
}

/** What a response would refuse is refused here, for every later response would be refused with it. */
async function checkedItems(context: Context, request: Asking, items: readonly InputItem[]): Promise<Item[]> {
  const reference = items.findIndex(({ type }) => type === "item_reference");
  if (reference !== -1) failParameter(`items[${reference}].type`, "send the item itself in place of its id");
  // A message behind them, as of some items alone no prompt can be made.
  const input = [...items, { role: "user", content: "." }];
  try {
    toChatRequest({ model: "/v1/responses", input }, await openSummaries(context, request, input));
    assertItemAddresses(input, context.config);
  } catch (error) {
    throw error instanceof ApiError ? renamed(error) : error;
  }
  return storedItems([...items], uuidHex(uuidv7(context.clock()))).map(itemOf);
}

function renamed({ code, details }: ApiError): ApiError {
  const own = (param: string) => param.replace(/^input\[/, "items[");
  const { param, text } = details;
  if (param == null) return new ApiError(code, details);
  const words = typeof text?.["param"] === "string" ? { text: { ...text, param: own(text["param"]) } } : {};
  return new ApiError(code, { ...details, param: own(param), ...words });
}

/** Fails with conversation_item_not_found too, as does the next. */
export async function findItem(context: Context, caller: Caller, shownId: string, itemId: string): Promise<StoredItem> {
  await findConversation(context, caller, shownId);
  const item = (await readItem(context, placeOf(context, caller, shownId), itemId)) ?? failNoItem(itemId);
  return parseJson(item.json) as StoredItem;
}

export async function removeItem(context: Context, caller: Caller, shownId: string, itemId: string): Promise<Shown> {
  const conversation = await findConversation(context, caller, shownId);
  const state = (await deleteItem(context, placeOf(context, caller, shownId), itemId)) ?? failNoItem(itemId);
  if (state === "locked") failLocked();
  return conversation;
}

function failNoItem(itemId: string): never {
  return fail("conversation_item_not_found", { text: { id: cutId(itemId) } });
}
