// The clients of Anthropic's dialect that JavaScript programs use.
import Anthropic from "@anthropic-ai/sdk";
import AnthropicBefore from "anthropic-sdk-0";
import { type At, type Client, model, question, toolQuestion, unserved } from "./client.ts";
import { aiSdk, idsOf, refusal, refusedBy, shape, typesOfErrors } from "./openai-like.ts";
import { versionOf } from "./versions.ts";

const input_schema = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const ask = (content: string) => ({ model, max_tokens: 500, messages: [{ role: "user" as const, content }] });
const costOf = (usage: unknown) => (usage as { cost?: number }).cost;

type Sdk = Pick<Anthropic, "messages" | "models">;

/** Its types know Anthropic's own codes only; the gateway's is in the body. */
const codeOf = (error: unknown) =>
  (error as { error?: { error?: { details?: { error_code?: string } } } }).error?.error?.details?.error_code;

function anthropic(version: string, sdkOf: (at: At) => Sdk, ofPayment: Client["typesOfErrors"] = {}): Client {
  const shown = ({ content, usage }: Anthropic.Message) => ({
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    input: usage.input_tokens,
    output: usage.output_tokens,
    cost: costOf(usage),
  });
  return {
    name: "Anthropic SDK",
    version,
    chat: async (at) => shown(await sdkOf(at).messages.create(ask(question))),
    stream: async (at) => shown(await sdkOf(at).messages.stream(ask(question)).finalMessage()),
    tools: async (at) => {
      const { content } = await sdkOf(at).messages.create({ ...ask(toolQuestion), tools: [{ name: "get_weather", input_schema }] });
      return content.find((block) => block.type === "tool_use")?.name;
    },
    errors: async (at) => codeOf(await refusal(sdkOf(at).messages.create({ ...ask(question), model: unserved }))),
    typesOfErrors: { ...typesOfErrors, ...ofPayment },
    refused: (at, id) => refusedBy(sdkOf(at).messages.create({ ...ask(question), model: id }, { maxRetries: 0 }), codeOf),
    models: (at) => idsOf(sdkOf(at).models.list()),
  };
}

export const anthropicClients: readonly Client[] = [
  anthropic(versionOf("@anthropic-ai/sdk"), ({ base, customer }) => new Anthropic({ baseURL: base, apiKey: customer.account.key }), {
    402: "PaymentRequiredError",
  }),
  anthropic(
    versionOf("anthropic-sdk-0"),
    ({ base, customer }) => new AnthropicBefore({ baseURL: base, apiKey: customer.account.key }) as unknown as Sdk,
  ),
  aiSdk("AI SDK, anthropic", "@ai-sdk/anthropic", ({ customer }, id) => customer.aiAnthropic()(id)),
  {
    name: "LangChain, ChatAnthropic",
    version: versionOf("@langchain/anthropic"),
    estimates: ["stream"],
    chat: async ({ customer }) => {
      const { text, usage_metadata: usage } = await customer.langchainAnthropic(model).invoke(question);
      return { text, input: usage?.input_tokens, output: usage?.output_tokens };
    },
    stream: async ({ customer }) => {
      let whole;
      for await (const chunk of await customer.langchainAnthropic(model).stream(question))
        whole = whole === undefined ? chunk : whole.concat(chunk);
      return { text: whole!.text, input: whole!.usage_metadata?.input_tokens, output: whole!.usage_metadata?.output_tokens };
    },
    tools: async ({ customer }) => {
      const bound = customer.langchainAnthropic(model).bindTools([{ name: "get_weather", input_schema }]);
      return (await bound.invoke(toolQuestion)).tool_calls?.[0]?.name;
    },
    structured: ({ customer }) => customer.langchainAnthropic(model).withStructuredOutput(shape).invoke(question),
    errors: async ({ customer }) => codeOf(await refusal(customer.langchainAnthropic(unserved).invoke(question))),
  },
];
