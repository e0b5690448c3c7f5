// Responses that are stored, in a workspace that asks for it: a request that goes on from one gets all of its conversation as items, before it is
// admitted, so that hold, context window and charge see the whole prompt; and an answer is kept once it is charged.
import type { Caller } from "../../accounts/caller.ts";
import {
  findChain,
  measureStored,
  readStored,
  storeAnswer,
  storedBytesMax,
  storedMax,
  type StoredResponse,
  storeInput,
  storesResponses,
} from "../../accounts/stored-responses.ts";
import type { Ask } from "../../calls/ask.ts";
import { openFairQuota } from "../../concurrency/slots.ts";
import type { Context } from "../../context.ts";
import { ApiError, fail, failParameter } from "../../errors/fail.ts";
import { cutId, parseResponseId, uuidHex, uuidv7 } from "../../ids.ts";
import { parseJson } from "../../json/parse.ts";
import {
  addingTo,
  type Adding,
  assertOnePast,
  type GoingOn,
  itemOf,
  itemsOf,
  measureGoingOn,
  readGoingOn,
  resendHint,
  type StoredItem,
  storedItems,
} from "./conversation.ts";
import type { Keep } from "./reply.ts";
import { conversationNamed, idTailOf } from "./response-object.ts";
import type { InputItem, ResponseObject, ResponseRequest } from "./types.ts";

type Parts = Pick<Context, "db" | "config" | "clock">;

/** What a request says of its conversation. */
interface Going {
  input: ResponseRequest["input"];
  previous_response_id?: string | null;
  conversation?: ResponseRequest["conversation"];
}

interface Recalled<Body extends Going> extends Disposable {
  /** The request, with all that it goes on from as items. */
  body: Body;
  /** Its own items, with what its references stand for. */
  own: ResponseRequest["input"];
  /** Of the response that it goes on from; null: of none. */
  previousId: string | null;
  /** Does work that refuses items by their place among all, and names them by their place among its own. */
  asSent<T>(work: () => T | Promise<T>): Promise<T>;
}

/** For a workspace that stores none, the request as it is: what it refers to is refused like everything that needs a store. */
export async function recall<Body extends Going>(context: Parts, caller: Caller, body: Body): Promise<Recalled<Body>> {
  const { input, previous_response_id: previous } = body;
  const named = conversationNamed(body.conversation);
  const references = referencesIn(input);
  const asIs = {
    body,
    own: input,
    previousId: null,
    asSent: async <T>(work: () => T | Promise<T>) => work(),
    [Symbol.dispose]: () => undefined,
  };
  if (!storesResponses(context.config, caller) || (previous == null && named === null && references.size === 0)) return asIs;
  assertOnePast(named, previous);
  const { accountId } = caller;
  const going = named === null ? null : await measureGoingOn(context, caller, named, input);
  const chain = previous == null ? { ids: [], bytes: 0 } : await chainOf(context, accountId, previous);
  const others = [...new Set(references.values())].filter((id) => id !== undefined && !chain.ids.includes(id)) as string[];
  if (others.length > storedMax) failParameter("input", `it refers to items of more than ${storedMax} responses`);
  const bytes = chain.bytes + (going?.bytes ?? 0) + (others.length === 0 ? 0 : await measureStored(context, accountId, others));
  if (bytes > storedBytesMax) failParameter("input", `its references stand for more than ${storedBytesMax / 1024 ** 2} MB`);
  const held = bytes * bytesOfByte;
  if (!memory.take(accountId, held)) fail("overloaded");
  try {
    const stored = new Map((await readStored(context, accountId, [...chain.ids, ...others])).map((one) => [one.id, one]));
    const before = going === null ? chain.ids.flatMap((id) => itemsIn(stored.get(id) ?? failUnknown())) : await readGoingOn(context, going);
    const known = [...before, ...[...stored.values()].flatMap(itemsIn)];
    const own = typeof input === "string" ? input : withReferences(input, references, known);
    const shift = before.length;
    return {
      body: { ...body, previous_response_id: null, conversation: null, input: shift === 0 ? own : [...before, ...itemsOf(own)] },
      own,
      previousId: chain.ids.at(-1) ?? null,
      asSent: async (work) => {
        try {
          return await work();
        } catch (error) {
          throw error instanceof ApiError ? numberedAsSent(error, shift, going) : error;
        }
      },
      [Symbol.dispose]: () => memory.giveBack(accountId, held),
    };
  } catch (error) {
    memory.giveBack(accountId, held);
    throw error;
  }
}

/** All that requests of this process go on from now, until they are answered or their stream has begun. */
const memory = openFairQuota(512 * 1024 ** 2);
/** What a byte of JSON takes as a text and as values. */
const bytesOfByte = 4;

async function chainOf(context: Parts, accountId: bigint, previous: string) {
  const id = parseResponseId(previous) ?? failUnknown();
  const chain = (await findChain(context, accountId, id)) ?? failUnknown();
  if (chain === "too_long") failParameter("previous_response_id", "what it goes on from is too long: send a shorter conversation as input");
  return chain;
}

function failUnknown(): never {
  return fail("previous_response_not_found", { param: "previous_response_id", text: { kept: "stored in this workspace" } });
}

function itemsIn({ input, response }: StoredResponse): InputItem[] {
  return [...(parseJson(input) as InputItem[]), ...(parseJson(response) as { output: InputItem[] }).output];
}

// References: an item's id has that of its response in it.

/** The responses of the items that are referred to, by the places of the references; undefined: it can't be an id of ours. */
function referencesIn(input: ResponseRequest["input"]): Map<number, string | undefined> {
  if (typeof input === "string") return new Map();
  return new Map(
    input.flatMap((item, index) => {
      if (item.type !== "item_reference") return [];
      const tail = /^[a-z]+_([0-9a-f]{32})_i?\d+$/.exec(String(item["id"]))?.[1];
      return [[index, tail === undefined ? undefined : parseResponseId(`resp_${tail}`)] as const];
    }),
  );
}

function withReferences(
  input: readonly InputItem[],
  references: ReadonlyMap<number, string | undefined>,
  known: readonly InputItem[],
): InputItem[] {
  const items = new Map(known.map((item) => [item["id"], item]));
  return input.map((item, index) => {
    if (!references.has(index)) return item;
    return items.get(item["id"]) ?? failParameter(`input[${index}].id`, `no item ${cutId(String(item["id"]))} is stored in this workspace`);
  });
}

function numberedAsSent({ code, details }: ApiError, shift: number, going: GoingOn | null): ApiError {
  const { param } = details;
  const place = /^input\[(\d+)\]/.exec(param ?? "");
  if (param == null || place === null || shift === 0) return new ApiError(code, details);
  const at = Number(place[1]) - shift;
  const before = going === null ? "previous_response_id" : "conversation";
  const named = at < 0 ? before : `input[${at}]${param.slice(place[0].length)}`;
  const text = details.text?.["param"] === param ? { ...details.text, param: named } : details.text;
  return new ApiError(code, { ...details, param: named, ...(text === undefined ? {} : { text }) });
}

// Keeping.

/** `keep` null: nothing is kept. `store`: whether the response is to be stored. */
interface Begun {
  keep: Keep | null;
  store: boolean;
}

const nothing: Begun = { keep: null, store: false };

interface Keeping {
  /** The end of every id in the answer. */
  idTail: string;
  /** Keeps the input, once an upstream answers. A failure is logged and costs only that. */
  begin(): Promise<Begun>;
}

/** Ids of what is kept are its own: a request's id may be the caller's, and come twice. */
export function keepingOf(
  context: Parts & Pick<Context, "log">,
  ask: Pick<Ask, "caller" | "requestId" | "receivedAt">,
  { store, conversation }: Pick<ResponseRequest, "store" | "conversation">,
  recalled: Pick<Recalled<Going>, "own" | "previousId">,
): Keeping {
  const { caller, requestId, receivedAt: createdAt } = ask;
  if (!storesResponses(context.config, caller)) return { idTail: idTailOf(ask), begin: async () => nothing };
  const { accountId } = caller;
  const id = uuidv7(context.clock());
  const idTail = uuidHex(id);
  if (store === false) return { idTail: conversation == null ? idTailOf(ask) : idTail, begin: async () => nothing };
  const lost = reportLost(context, requestId);
  const begin = async () => {
    const input = JSON.stringify(storedItems(recalled.own, idTail));
    const inputBytes = Buffer.byteLength(input);
    if (inputBytes > storedBytesMax) return nothing;
    const row = { id, accountId, previousId: recalled.previousId, createdAt, input };
    if (!(await storeInput(context, row).catch(lost))) return nothing;
    return { keep: keeperOf(context, { accountId, id, inputBytes, lost }), store: true };
  };
  return { idTail, begin };
}

/** The same, and what is added to the conversation that the request goes on with. */
export function addingKeeping(keeping: Keeping, { own }: Pick<Recalled<Going>, "own">, adding: Adding | null): Keeping {
  if (adding === null) return keeping;
  const { idTail } = keeping;
  return {
    idTail,
    async begin() {
      const { keep, store } = await keeping.begin();
      return { keep: addingTo(await adding.begin(storedItems(own, idTail).map(itemOf)), keep), store };
    },
  };
}

function reportLost({ log }: Pick<Context, "log">, requestId: string) {
  return (err: unknown): false => {
    log.error({ err, request_id: requestId }, "a response could not be stored");
    return false;
  };
}

interface Row {
  accountId: bigint;
  id: string;
  inputBytes: number;
  lost: (error: unknown) => boolean;
}

/** Made apart, as is what it reports: a stream keeps both, and must not hold its request. */
function keeperOf(context: Parts, { accountId, id, inputBytes, lost }: Row): Keep {
  return async (response: ResponseObject) => {
    const text = JSON.stringify(response);
    const fits = inputBytes + Buffer.byteLength(text) <= storedBytesMax;
    return { ...response, store: fits && (await storeAnswer(context, accountId, id, text).catch(lost)) };
  };
}

// Reading.

/** Fails with response_not_found. */
export async function findStored(context: Parts, caller: Caller, shownId: string): Promise<StoredResponse> {
  const id = parseResponseId(shownId);
  const [stored] = id === undefined || !storesResponses(context.config, caller) ? [] : await readStored(context, caller.accountId, [id]);
  return stored ?? failNotFound(context, caller, shownId);
}

export function failNotFound({ config }: Pick<Context, "config">, caller: Caller, shownId: string): never {
  return fail("response_not_found", { text: { id: cutId(shownId), ...(storesResponses(config, caller) ? {} : { hint: resendHint }) } });
}

interface ItemPage {
  after: string | undefined;
  order: "asc" | "desc";
  limit: number;
}

export function pageOfItems({ input }: Pick<StoredResponse, "input">, { after, order, limit }: ItemPage) {
  const sent = parseJson(input) as StoredItem[];
  const items = order === "asc" ? sent : sent.toReversed();
  const place = after === undefined ? -1 : items.findIndex(({ id }) => id === after);
  if (after !== undefined && place === -1) failParameter("after", "it must be an id of this list");
  const data = items.slice(place + 1, place + 1 + limit);
  return {
    ...{ object: "list" as const, data, has_more: place + 1 + limit < items.length },
    ...{ first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null },
  };
}
