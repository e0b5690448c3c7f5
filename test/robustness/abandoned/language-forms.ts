// The forms of calls that are billed by token: every endpoint over the protocols, whole and streamed, of models that think seen or unseen, pace
// their answer, or say their usage at the end, with each record or never; with a picture, several answers, tools or a service tier.

export interface Form {
  name: string;
  /** What it has that others have not, so that each kind is drawn as often. */
  kind: string;
  path: string;
  type: string;
  body: Buffer | string;
  /** Tokens of a model in units of 1e-8 USD; null: the price is the whole call's. */
  prices: { input: bigint; output: bigint } | null;
  /** A caller who stays pays an estimate that may be below the bill: the host says no usage, and the prompt or the output can't be counted. */
  guessed: boolean;
}

/** Of a token. */
export const prices = { input: 100n, output: 200n };
/** Digits: a tokenizer makes more tokens of them than the simulator does. */
export const prompt = "4711 0815 ".repeat(30);
export const json = "application/json";
const png = "data:image/png;base64,iVBORw0KGgo=";
/** Above what an image is likely to take, below what is held for it. */
const promptOfImage = 1_500;
const cap = 80;
const choices = 3;
const schema = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city", "days"] };
const tool = { name: "get_weather", description: "Says what the weather will be in a city, for so many days.", parameters: schema };

const usages = ["", "+sim-usage-every-chunk", "+sim-no-usage"] as const;
const thoughts = ["", "+sim-reasoning-tokens-20+sim-hidden-reasoning"] as const;
const paces = ["+sim-slow-40ms", "+sim-slow-15ms+sim-pace-3ms", "+sim-slow-15ms+sim-pace-3ms+sim-left-503"] as const;
const shapes = ["plain", "image", "choices", "tools", "priority", "flex", "malformed"] as const;
const endpoints = ["chat", "messages", "responses", "completions", "compact"] as const;
const protocols = ["openai", "azure-openai", "anthropic", "bedrock", "gemini", "vertex", "cohere"] as const;

interface Texts {
  endpoint: (typeof endpoints)[number];
  protocol: (typeof protocols)[number];
  stream: boolean;
  usage: (typeof usages)[number];
  thought: (typeof thoughts)[number];
  pace: (typeof paces)[number];
  shape: (typeof shapes)[number];
}

const multiples = { priority: 2, flex: 0.5 };
const multipleOf = (shape: Texts["shape"]): number => (shape === "priority" || shape === "flex" ? multiples[shape] : 1);

const languageModel = ({ protocol, usage, thought, pace, shape }: Texts) => ({
  id: `m/${protocol}${usage}${thought}${pace}${shape === "plain" ? "" : `-${shape}`}`.replaceAll("+sim", ""),
  upstream: `any${usage}${thought}${pace}+sim-tokens-24${directivesOf(shape)}`,
});

function directivesOf(shape: Texts["shape"]): string {
  if (shape === "malformed") return "+sim-malformed-call";
  return shape === "image" ? `+sim-prompt-tokens-${promptOfImage}` : "";
}

/** In each dialect's own words. */
const toolsOf = {
  chat: { tools: [{ type: "function", function: tool }], tool_choice: "required" },
  messages: { tools: [{ name: tool.name, description: tool.description, input_schema: schema }], tool_choice: { type: "any" } },
  responses: { tools: [{ type: "function", ...tool }], tool_choice: "required" },
};

function extras({ endpoint, shape }: Texts): object {
  if (shape === "choices") return { n: choices };
  if (shape === "tools") return toolsOf[endpoint as keyof typeof toolsOf];
  return shape === "priority" || shape === "flex" ? { service_tier: shape } : {};
}

function bodyOf(of: Texts, model: string): [path: string, body: object] {
  const { endpoint, stream, shape } = of;
  const parts = [
    { type: "text", text: prompt },
    { type: "image_url", image_url: { url: png } },
  ];
  const shared = { model, stream, ...extras(of) };
  switch (endpoint) {
    case "chat":
      return [
        "/v1/chat/completions",
        { ...shared, messages: [{ role: "user", content: shape === "image" ? parts : prompt }], max_tokens: cap },
      ];
    case "messages":
      return ["/v1/messages", { ...shared, messages: [{ role: "user", content: prompt }], max_tokens: cap }];
    case "responses":
      return ["/v1/responses", { ...shared, input: prompt, max_output_tokens: cap }];
    case "completions":
      return ["/v1/completions", { ...shared, prompt, max_tokens: cap }];
    case "compact":
      return ["/v1/responses/compact", { model, input: prompt }];
  }
}

const texts: Texts[] = endpoints.flatMap((endpoint) =>
  protocols.flatMap((protocol) =>
    [false, true].flatMap((stream) =>
      usages.flatMap((usage) =>
        thoughts.flatMap((thought) =>
          paces.flatMap((pace) => shapes.map((shape) => ({ endpoint, protocol, stream, usage, thought, pace, shape }))),
        ),
      ),
    ),
  ),
);

/**
 * The anthropic protocol measures the prompt at once and hides thinking only where it is asked to; the gemini protocol says its usage with
 * every record, and its two dialects stand for all, as Cohere's do. The other clouds' protocols are these at other addresses, or translated by
 * way of them: chat stands for all. The model ends by a malformed tool call where a protocol says so.
 */
function isSensible({ endpoint, protocol, stream, usage, thought, shape }: Texts): boolean {
  if (protocol !== "openai" && (thought !== "" || usage === "+sim-usage-every-chunk")) return false;
  if (["azure-openai", "bedrock", "vertex"].includes(protocol) && endpoint !== "chat") return false;
  if ((protocol === "gemini" || protocol === "cohere") && endpoint !== "chat" && endpoint !== "messages") return false;
  if (endpoint === "compact") return protocol === "openai" && shape === "plain" && !stream && usage !== "+sim-usage-every-chunk";
  switch (shape) {
    case "plain":
      return true;
    case "image":
      return endpoint === "chat" && protocol === "openai";
    case "choices":
      return (endpoint === "chat" || endpoint === "completions") && protocol === "openai";
    case "tools":
      return endpoint !== "completions" && thought === "";
    case "malformed":
      return ["gemini", "vertex", "bedrock"].includes(protocol);
    default:
      return (endpoint === "chat" || endpoint === "messages") && protocol === "openai" && thought === "";
  }
}

function kindOf({ endpoint, protocol, shape }: Texts): string {
  if (endpoint === "compact" || protocol === "cohere") return endpoint === "compact" ? endpoint : protocol;
  return shape === "priority" || shape === "flex" ? "tiers" : shape;
}

const sensible = texts.filter(isSensible);

export const languageForms: Form[] = sensible.map((of) => {
  const { id, upstream } = languageModel(of);
  const [path, body] = bodyOf(of, id);
  const { endpoint, stream, protocol, usage, thought, shape } = of;
  const multiple = multipleOf(shape);
  return {
    name: `${endpoint}, ${stream ? "streamed" : "whole"}, ${shape}, ${protocol}/${upstream}`,
    kind: kindOf(of),
    path,
    type: json,
    body: JSON.stringify(body),
    prices: { input: BigInt(Number(prices.input) * multiple), output: BigInt(Number(prices.output) * multiple) },
    guessed: usage === "+sim-no-usage" && (thought !== "" || shape === "image"),
  };
});

/** Each route costs what its model is sold for. */
export function languageModels(): object[] {
  const seen = new Map<string, object>();
  for (const of of sensible) {
    const { id, upstream } = languageModel(of);
    const tiers = of.shape === "priority" || of.shape === "flex" ? { service_tiers: multiples } : {};
    seen.set(id, {
      ...{ id, type: "language", context_window: 128_000, max_output_tokens: 1_000, input_modalities: ["text", "image"] },
      ...{ supports_vision: true, supports_reasoning: of.thought !== "" },
      pricing: { mode: "per-token", input: 1, output: 2, ...tiers },
      routes: [{ provider: of.protocol, model: upstream, cost: { input: 1, output: 2, ...tiers } }],
    });
  }
  return [...seen.values()];
}
