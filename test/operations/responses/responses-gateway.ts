// What the tests of /v1/responses share: sending requests, and reading a stream's records with their names.
import { expect } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import type { ChatWorld } from "../chat/chat-gateway.ts";

/** By default a user's "Hello". */
export function respond({ gateway }: ChatWorld, { key }: TestAccount, body: object): Promise<TestReply> {
  return gateway.request("POST", "/v1/responses", { key, body: { input: "Hello", ...body } });
}

/** Every record's data; its `event:` line must repeat its type, and the numbers must run from 0. */
export function eventsOf({ text }: Pick<TestReply, "text">): any[] {
  const blocks = text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  const events = blocks.map((block) => {
    const [, name, data] = /^event: (\S+)\ndata: (.+)$/.exec(block) ?? [];
    const event = JSON.parse(data!) as { type: string };
    expect(event.type).toBe(name);
    return event;
  });
  expect(events.map((event) => (event as { sequence_number?: number }).sequence_number)).toEqual(events.map((_, index) => index));
  return events;
}

export function typesOf(events: { type: string }[]): string[] {
  return events.map(({ type }) => type).filter((type, index, all) => !type.endsWith(".delta") || all[index - 1] !== type);
}

export const weather = {
  type: "function",
  name: "get_weather",
  description: "The weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
};
