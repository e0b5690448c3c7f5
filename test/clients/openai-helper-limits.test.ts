// What the OpenAI helper throws at (docs/behaviour/streams.md#chunks): streams of so many small chunks that only a gateway which joins them
// can be read by it, and calls that are numbered too high (odd-hosts.ts has one of index 500).
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { userMessage, useClients } from "./clients.ts";

/** Above the 65,536 pieces that the helper takes. */
const pieces = 70_000;
const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_790_000_000, model: "long" };
const record = (delta: unknown, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const call = (value: object) => record({ tool_calls: [{ index: 0, ...value }] });
const letters = "abcdefghij";

/** One letter a record: by arguments of a call, or by content. */
const bodies: Record<string, () => string> = {
  arguments: () =>
    record({ role: "assistant", content: null }) +
    call({ id: "call_1", type: "function", function: { name: "write", arguments: "" } }) +
    call({ function: { arguments: '{"text":"' } }) +
    Array.from({ length: pieces }, (_, at) => call({ function: { arguments: letters[at % 10] } })).join("") +
    call({ function: { arguments: '"}' } }) +
    record({}, "tool_calls"),
  content: () =>
    record({ role: "assistant", content: '{"text":"' }) +
    Array.from({ length: pieces }, (_, at) => record({ content: letters[at % 10] })).join("") +
    record({ content: '"}' }) +
    record({}, "stop"),
};
const usage = { prompt_tokens: 5, completion_tokens: pieces, total_tokens: pieces + 5 };

const host = createServer((request, response: ServerResponse) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => void (body += text));
  request.on("end", () => {
    const { model } = JSON.parse(body) as { model: string };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${bodies[model]!()}data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
});
await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
afterAll(() => void host.close());

const clients = useClients(
  JSON.stringify({
    providers: [{ id: "long", protocol: "openai", base_url: `http://127.0.0.1:${(host.address() as AddressInfo).port}/v1` }],
    models: Object.keys(bodies).map((name) => ({
      id: `long/${name}`,
      type: "language",
      context_window: 1_000_000,
      max_output_tokens: 100_000,
      supports_tools: true,
      supports_structured_outputs: true,
      pricing: { mode: "per-token", input: 0.5, output: 1.5 },
      routes: [{ provider: "long", model: name }],
    })),
  }),
);
const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false };
const whole = JSON.stringify({ text: letters.repeat(pieces / 10) });

test("a strict tool's arguments of 70,000 pieces are read by the helper, every letter in its place", async () => {
  const { completions } = (await clients.customer()).openai().chat;
  const tools = [{ type: "function" as const, function: { name: "write", parameters, strict: true } }];
  const { choices } = await completions.stream({ model: "long/arguments", messages: userMessage("write"), tools }).finalChatCompletion();
  expect(choices[0]!.finish_reason).toBe("tool_calls");
  expect(choices[0]!.message.tool_calls![0]).toMatchObject({ function: { name: "write", arguments: whole } });
});

test("structured content of 70,000 pieces too", async () => {
  const { completions } = (await clients.customer()).openai().chat;
  const response_format = { type: "json_schema" as const, json_schema: { name: "text", schema: parameters, strict: true } };
  const stream = completions.stream({ model: "long/content", messages: userMessage("write"), response_format });
  expect((await stream.finalChatCompletion()).choices[0]!.message.content).toBe(whole);
});
