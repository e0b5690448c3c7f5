// The tool runners of Anthropic's SDKs: the newer one asks for a thread, is told that there are none, and sends everything.
import Anthropic from "@anthropic-ai/sdk";
import Anthropic0 from "anthropic-sdk-0";
import { describe, expect, test } from "vitest";
import { useClients } from "./clients.ts";

const clients = useClients();

const weatherTool = {
  type: "custom" as const,
  name: "get_weather",
  description: "Says how the weather is.",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
  parse: (input: unknown) => input,
};

describe.each([
  ["1.x", Anthropic, [400, 200, 200]],
  ["0.x", Anthropic0 as unknown as typeof Anthropic, [200, 200]],
] as const)("%s", (_name, Sdk, statuses) => {
  test("a runner calls the tool once and ends with words; what was refused on the way cost nothing", async () => {
    const customer = await clients.customer();
    const seen: number[] = [];
    const client = new Sdk({
      apiKey: customer.account.key,
      baseURL: clients.gateway.url,
      maxRetries: 0,
      async fetch(input, init) {
        const response = await fetch(input, init);
        seen.push(response.status);
        return response;
      },
    });
    const inputs: unknown[] = [];
    const run = (input: unknown) => {
      inputs.push(input);
      return "sunny";
    };
    const messages = [{ role: "user" as const, content: "get_weather of Paris" }];
    const message = await client.beta.messages.toolRunner({
      model: "plain/chat",
      max_tokens: 500,
      messages,
      tools: [{ ...weatherTool, run }],
    });
    expect(message).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text" }] });
    expect(inputs).toEqual([{ city: expect.any(String) }]);
    expect(seen).toEqual(statuses);
    expect(await customer.spent()).toBeGreaterThan(0);
  });
});
