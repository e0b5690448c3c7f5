// A whole message as Anthropic's hosts answer it, in the contract's form. Streams are stream.ts's; `usage` is read here and
// left out, because the flow writes its own.
import { randomUUID } from "node:crypto";
import { errorUnderOk } from "../error-text.ts";
import { errorUnder200 } from "../errors.ts";
import { parseLong } from "../exact-numbers.ts";
import { nestsTooDeep } from "../json-scan.ts";
import { isObject, textOf, type Json } from "../json.ts";
import { UpstreamError, type MessageWhole, type Provider } from "../types.ts";
import { readBlock } from "./blocks.ts";
import { readEnd } from "./ends.ts";
import { readMessageUsage } from "./usage.ts";

export function readMessage(text: string, publicModel: string, provider: Provider): MessageWhole {
  const answer = parseAnswer(text);
  const error = errorUnderOk(answer);
  if (error !== null) throw errorUnder200(error, provider);
  const given = answer["content"];
  if (!Array.isArray(given)) throw unreadable("the answer has no content");
  const content = given.map(readBlock).filter((block) => block !== null);
  if (content.length === 0 && given.length > 0) throw unreadable("the answer has no block that can be shown");
  const message: Json = {
    id: messageId(answer),
    type: "message",
    role: "assistant",
    model: publicModel,
    content,
    ...readEnd(
      answer,
      content.some(({ type }) => type === "tool_use"),
    ),
  };
  return {
    kind: "whole",
    message: message as unknown as MessageWhole["message"], // every member was made just above
    usage: readMessageUsage(answer["usage"]),
  };
}

/** The upstream's id; ours where it gives none. */
export function messageId(message: Json): string {
  return textOf(message["id"])?.slice(0, 200) ?? `msg_${randomUUID().replaceAll("-", "")}`;
}

export function unreadable(reason: string): UpstreamError {
  return new UpstreamError("unreadable", reason, { status: 200 });
}

function parseAnswer(text: string): Json {
  if (nestsTooDeep(text)) throw unreadable("the answer is nested too deep");
  let value: unknown;
  try {
    value = parseLong(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw unreadable(text.trim() === "" ? "the answer is empty" : "the answer is not JSON");
  }
  if (!isObject(value)) throw unreadable("the answer is not a JSON object");
  return value;
}
