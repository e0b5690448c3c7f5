// What a WebSocket knows of its conversation: the last response and all that it followed from, so that the next turn need not send it again.
// It is in memory, goes with the connection, and is bounded with the bodies of requests. Of a workspace that stores responses only those are kept that
// it does not store; what is stored is left to the request.
import type { Holder } from "../concurrency/slots.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { parseJson } from "../json/parse.ts";
import type { Edge } from "./edge.ts";

type Fields = Record<string, unknown>;

/** One turn, ready to be sent. */
export interface PreparedTurn {
  body: string;
  /** How many items were put before those that were sent. */
  shift: number;
  /** Takes an event of its answer, and returns it as it is to be sent. */
  event(json: string): string;
  /** It was refused, or its answer failed: a response that it went on from is forgotten. */
  failed(): void;
}

interface Conversation {
  prepare(sent: Fields): PreparedTurn;
  close(): void;
}

/** Of a response that a next turn may go on from. `items` is the JSON text of an array. */
interface Kept {
  id: string;
  items: string;
}

/** Events that hold the response so far; all others are passed on unread. */
const stateEvent = /^\{"type":"response\.(created|in_progress|completed|incomplete|failed)"/;

/** `stores`: whether its workspace stores responses, so that a turn may go on from one that is not kept here. */
export function openConversation(edge: Edge, holder: Holder, stores: boolean): Conversation {
  let kept: Kept | null = null;
  let closed = false;
  const forget = () => {
    if (kept !== null) edge.bodies.giveBack(holder, kept.items.length);
    kept = null;
  };
  /** Where there is no room nothing is kept, and the next turn has to send everything. */
  const keep = (made: Kept) => {
    forget();
    if (!closed && edge.bodies.take(holder, made.items.length)) kept = made;
  };
  return {
    prepare({ type, stream, previous_response_id: named, ...sent }) {
      void [type, stream]; // a turn is always streamed
      const previous = typeof named === "string" ? named : null;
      // The two are refused beside each other, by the request's own check.
      const inConversation = sent["conversation"] != null;
      const isKept = previous !== null && !inConversation && kept?.id === previous;
      if (previous !== null && !isKept && !stores)
        fail("previous_response_not_found", { param: "previous_response_id", text: { kept: "kept on this connection" } });
      const before = isKept && kept !== null ? (parseJson(kept.items) as Fields[]) : [];
      const added = itemsOf(sent["input"]);
      if (isKept && added !== null) {
        const unknown = unknownCall(before, added);
        if (unknown !== -1) {
          forget();
          failParameter(`input[${unknown}].call_id`, "no call of this id is in the conversation");
        }
      }
      const input = !isKept || added === null ? sent["input"] : [...before, ...added];
      // What is no text is refused by the request's own check.
      const other = named === undefined || isKept ? {} : { previous_response_id: named };
      const body = JSON.stringify({ ...sent, ...other, ...(input === undefined ? {} : { input }), stream: true });
      const said = itemsOf(input) ?? [];
      return {
        body,
        shift: before.length,
        event(json) {
          if (!stateEvent.test(json)) return json;
          const event = parseJson(json) as { type: string; response: Fields & { id: string; output: Fields[] } };
          const { response } = event;
          if (event.type === "response.completed" || event.type === "response.incomplete")
            if (response["store"] === true || inConversation || (previous !== null && !isKept)) forget();
            else keep({ id: response.id, items: JSON.stringify([...said, ...response.output]) });
          if (event.type === "response.failed") this.failed();
          return !isKept ? json : JSON.stringify({ ...event, response: { ...response, previous_response_id: previous } });
        },
        failed() {
          if (isKept) forget();
        },
      };
    },
    close() {
      closed = true;
      forget();
    },
  };
}

/** Null: it is neither a text nor items. */
function itemsOf(input: unknown): Fields[] | null {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return Array.isArray(input) ? (input as Fields[]) : null;
}

const resultTypes = ["function_call_output", "custom_tool_call_output"];

/** The first result whose call is nowhere; -1: none. Elsewhere that is left to the model's provider; here it is known. */
function unknownCall(before: readonly Fields[], added: readonly Fields[]): number {
  const calls = new Set([...before, ...added].filter((item) => item?.["name"] !== undefined).map((item) => item["call_id"]));
  return added.findIndex((item) => resultTypes.includes(item?.["type"] as string) && !calls.has(item["call_id"]));
}
