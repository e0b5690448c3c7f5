// What an answer consists of when nobody measured it: text, thinking shown or hidden, calls of tools. Whole or streamed, it costs the same.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway, type TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { endpoints, type Kind, writes } from "./cells.ts";
import { chargesIn } from "./client.ts";
import { dialects } from "./dialects.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

type Asked = Partial<Record<Kind, object>>;

interface Content {
  name: string;
  directives: string;
  /** What makes a model give it, by endpoint; those left out can't ask for it. */
  asked: Asked;
  /** Tokens of four characters each; null: as many as the caller sees of the call, its name and its arguments. */
  output: number | null;
  /** The same over the `anthropic` protocol, where it differs. */
  outputOverAnthropic?: number;
  /** Completions over the `gemini` protocol, where they differ. */
  outputOfCompletionsOverGemini?: number;
}

const contents: Content[] = [
  { name: "text", directives: "+sim-tokens-12", asked: { chat: {}, messages: {}, completions: {}, responses: {} }, output: 12 },
  {
    name: "thinking and text",
    directives: "+sim-tokens-12+sim-reasoning-tokens-30",
    asked: {
      chat: { reasoning_effort: "low" },
      messages: { thinking: { type: "adaptive" } },
      completions: {}, // shows none of it: it was written anyway
      responses: { reasoning: { effort: "low" } },
    },
    output: 42,
    outputOfCompletionsOverGemini: 12, // it shows thoughts only where it is asked to, and counts them always
  },
  {
    name: "thinking that is hidden, and text",
    directives: "+sim-tokens-12+sim-reasoning-tokens-30",
    asked: { messages: { thinking: { type: "adaptive", display: "omitted" } } },
    output: 42,
    outputOverAnthropic: 12, // such a host hides it itself: what it never sent can't be counted
  },
  {
    name: "a call of a tool",
    directives: "",
    asked: {
      chat: { tools: [{ type: "function", function: { name: "get_weather", parameters } }], tool_choice: "required" },
      messages: { tools: [{ name: "get_weather", input_schema: parameters }], tool_choice: { type: "any" } },
      responses: { tools: [{ type: "function", name: "get_weather", parameters, strict: false }], tool_choice: "required" },
    },
    output: null,
  },
];

/** Vertex and Bedrock answer in the words of others that stand here. */
const addresses = { openai: "/openai/v1", "azure-openai": "/azure", anthropic: "/anthropic/v1", gemini: "/gemini", cohere: "/cohere" };

const cells = contents.flatMap((content, index) =>
  endpoints
    .filter((endpoint) => writes(endpoint) && endpoint.kind in content.asked && endpoint.upstream in addresses)
    .map(({ kind, upstream }) => ({ ...content, kind, upstream, model: `content/${index}-${upstream}` })),
);

let gateway: Gateway;
beforeAll(async () => {
  const models = new Map(cells.map(({ model, directives, upstream }) => [model, { upstream, model: `m${directives}+sim-no-usage` }]));
  const pricing = { mode: "per-token", input: 1, output: 2 };
  const able = { supports_tools: true, supports_reasoning: true, context_window: 128_000, max_output_tokens: 1_000 };
  gateway = await startGateway({
    catalog: JSON.stringify({
      providers: Object.entries(addresses).map(([protocol, address]) => ({
        ...{ id: protocol, protocol, base_url: `simulator:${address}` },
        ...(protocol === "azure-openai" ? { headers: { "api-key": "any" } } : {}),
      })),
      models: [...models].map(([id, { upstream: provider, model }]) => ({
        ...{ id, type: "language", pricing, ...able },
        routes: [{ provider, model }],
      })),
      tiers: highTiers(),
    }),
  });
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] });
});

test.each(cells)(
  "$kind over $upstream, $name: counted alike, whole and streamed",
  async ({ kind, upstream, model, asked, ...expected }) => {
    const overGemini = upstream === "gemini" && kind === "completions" ? expected.outputOfCompletionsOverGemini : undefined;
    const output = (upstream === "anthropic" ? expected.outputOverAnthropic : overGemini) ?? expected.output;
    const account = await gateway.createAccount({ deposit: "20" });
    const { path, body, shown } = dialects[kind];
    const ask = (more: object) =>
      gateway.request("POST", path, {
        key: account.key,
        body: { ...body(model, 900), ...asked[kind], ...more },
        headers: kind === "messages" ? { "anthropic-version": "2023-06-01" } : {},
      });
    const whole = await ask({});
    const streamed = await ask({ stream: true });
    const [one, other] = [whole, streamed].map((reply) => shown(chargesIn(reply)[0]));
    expect(other).toEqual(one);
    expect(one!.output).toBe(output ?? Math.ceil(("get_weather" + argumentsIn(kind, whole)).length / 4));
    const units = one!.prompt * 100 + one!.output! * 200;
    expect(one!.cost).toBe(units / 1e8);
    expect(await gateway.balance(account)).toEqual({ balance: (20e8 - 2 * units) / 1e8, reserved: 0, spent: (2 * units) / 1e8 });
  },
);

function argumentsIn(kind: Kind, { json }: TestReply): string {
  if (kind === "chat") return json.choices[0].message.tool_calls[0].function.arguments;
  if (kind === "messages") return JSON.stringify(json.content.find(({ type }: any) => type === "tool_use").input);
  return json.output.find(({ type }: any) => type === "function_call").arguments;
}
