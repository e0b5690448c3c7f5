// A whole message as Anthropic's hosts answer it, in the contract's form. Streams are stream.ts's; `usage` is read here and
// left out, because the flow writes its own.
import { randomUUID } from "node:crypto";
import { readAnswer, unreadable } from "../transport/json-answer.ts";
import { parseLong } from "../json/exact-numbers.ts";
import { textOf, type Json } from "../json/read.ts";
import type { MessageWhole, Provider } from "../types.ts";
import { readBlock } from "./blocks.ts";
import { readEnd } from "./ends.ts";
import { readMessageUsage } from "./usage.ts";

export function readMessage(text: string, publicModel: string, provider: Provider): MessageWhole {
  const answer = readAnswer(text, provider, parseLong);
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
      provider,
    ),
  };
  return {
    kind: "whole",
    message: message as unknown as MessageWhole["message"], // every member was made just above
    usage: readMessageUsage(answer["usage"]),
  };
}

/** Of Anthropic's own form. Those of clouds that resell its models say whose upstream this is (`msg_bdrk_…`). */
const plainId = /^msg_[A-Za-z0-9]{1,100}$/;

/** The upstream's id; ours where it gives none that may be shown. */
export function messageId(message: Json): string {
  const id = textOf(message["id"]);
  return id !== null && plainId.test(id) ? id : `msg_${randomUUID().replaceAll("-", "")}`;
}
