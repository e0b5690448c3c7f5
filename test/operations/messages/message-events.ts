// The tests' request to /v1/messages, and a strict parser of its event stream.
import { expect } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import type { ChatWorld } from "../chat/chat-gateway.ts";

export interface SentEvent {
  event: string;
  data: any;
}

export const hello = [{ role: "user", content: "Hello" }];

/** By default a user's "Hello" to the model, with room for an answer. */
export function askMessage(world: ChatWorld, account: TestAccount, body: object, headers: Record<string, string> = {}): Promise<TestReply> {
  return world.gateway.request("POST", "/v1/messages", {
    key: account.key,
    body: { messages: hello, max_tokens: 500, ...body },
    headers: { "anthropic-version": "2023-06-01", ...headers },
  });
}

/** Every event, comments passed over; each must have its name, and a type that says the same. */
export function eventsOf(reply: TestReply): SentEvent[] {
  expect(reply.text.endsWith("\n\n")).toBe(true);
  const blocks = reply.text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  return blocks.map((block) => {
    const [, event, data] = /^event: (\w+)\ndata: (\{.*\})$/.exec(block) ?? [];
    if (event === undefined) throw new Error(`no event: ${block}`);
    const parsed = JSON.parse(data!) as { type: string };
    expect(parsed.type).toBe(event);
    return { event, data: parsed };
  });
}

/** Puts a stream together as the SDK's helper does, and checks its syntax on the way. */
export function messageOf(events: readonly SentEvent[]): any {
  expect(events.filter(({ event }) => event === "message_start")).toEqual([events[0]]);
  const message = structuredClone(events[0]!.data.message);
  expect(message).toMatchObject({ content: [], stop_reason: null, usage: { output_tokens: 0 } });
  let open: number | null = null;
  for (const { event, data } of events.slice(1)) {
    if (event === "content_block_start") {
      expect([open, data.index]).toEqual([null, message.content.length]);
      open = data.index as number;
      message.content.push({ ...data.content_block, ...(data.content_block.type === "tool_use" ? { json: "" } : {}) });
    } else if (event === "content_block_delta") {
      expect(data.index).toBe(open);
      addDelta(message.content[data.index], data.delta);
    } else if (event === "content_block_stop") {
      expect(data.index).toBe(open);
      open = null;
    } else if (event === "message_delta") {
      expect(open).toBeNull();
      Object.assign(message, data.delta);
      message.usage = data.usage;
    }
  }
  for (const block of message.content) {
    if (block.type !== "tool_use") continue;
    block.input = block.json === "" ? {} : JSON.parse(block.json);
    delete block.json;
  }
  return message;
}

function addDelta(block: any, delta: any): void {
  if (delta.type === "text_delta") block.text += delta.text;
  else if (delta.type === "thinking_delta") block.thinking += delta.thinking;
  else if (delta.type === "input_json_delta") block.json += delta.partial_json;
  else if (delta.type === "signature_delta") block.signature = delta.signature;
  else if (delta.type === "citations_delta") (block.citations ??= []).push(delta.citation);
  else throw new Error(`unknown delta ${delta.type}`);
}
