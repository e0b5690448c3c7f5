// The form of a row of Bedrock's corpus, and where rows come from: Amazon's own service model, pydantic-ai's recordings of Converse, the AI
// SDK's fixtures and reports of users, with our own words in them.
import type { Shape } from "../corpus.ts";

/** The description of the service in PyPI's botocore. */
export const botocore = (shape: string) => `botocore 1.44.8, bedrock-runtime 2023-09-30, ${shape}`;
/** https://github.com/pydantic/pydantic-ai, folder tests/models/cassettes. */
export const recorded = (name: string) => `pydantic-ai: test_bedrock/${name}.yaml`;
/** https://github.com/vercel/ai, folder packages/amazon-bedrock/src/__fixtures__. */
export const aiSdk = (name: string) => `ai-sdk: ${name}`;
export const github = (path: string) => `https://github.com/${path}`;

/** Type and body of a frame; a type that ends in `Exception` is one, `error` an unmodelled error. */
export type Event = [type: string, body: object];

export interface BedrockRow extends Shape {
  /** A whole answer, an error's body, or a stream's frames. */
  answer?: object;
  events?: Event[];
  /** How the stream's bytes are harmed. */
  harm?: (bytes: Buffer) => Buffer;
  /** Tokens: input, cache read, cache write, output; null: not reported. */
  usage?: [number, number, number, number] | null;
  /** Of what was written to the cache, for an hour. */
  hour?: number;
  /** The tier that was served. */
  tier?: string;
}

const tokens = (input: number, output: number, more: object = {}) => ({
  usage: { inputTokens: input, outputTokens: output, totalTokens: input + output, ...more },
});

/** A whole answer. */
export const whole = (content: object[], stopReason: string, used: [number, number], more: object = {}, usage: object = {}) => ({
  metrics: { latencyMs: 189 },
  output: { message: { role: "assistant", content } },
  stopReason,
  ...tokens(...used, usage),
  ...more,
});

/** Both spellings of each figure are sent. */
export const cache = (read: number, write: number, more: object = {}) => ({
  ...{ cacheReadInputTokens: read, cacheReadInputTokenCount: read, cacheWriteInputTokens: write, cacheWriteInputTokenCount: write },
  ...more,
});

/** Amazon pads every frame, so that its length doesn't tell the text. */
const padded = (body: object) => ({ ...body, p: "abcdefghijkl" });
export const began: Event = ["messageStart", padded({ role: "assistant" })];
export const delta = (contentBlockIndex: number, value: object): Event => [
  "contentBlockDelta",
  padded({ contentBlockIndex, delta: value }),
];
export const said = (index: number, text: string) => delta(index, { text });
export const thought = (index: number, reasoningContent: object) => delta(index, { reasoningContent });
export const opened = (contentBlockIndex: number, start: object): Event => ["contentBlockStart", padded({ contentBlockIndex, start })];
export const called = (index: number, toolUseId: string) => opened(index, { toolUse: { name: "look", toolUseId } });
export const input = (index: number, text: string) => delta(index, { toolUse: { input: text } });
export const closed = (contentBlockIndex: number): Event => ["contentBlockStop", padded({ contentBlockIndex })];
export const stopped = (stopReason: string, more: object = {}): Event => ["messageStop", padded({ stopReason, ...more })];
export const metadata = (used: [number, number], usage: object = {}, more: object = {}): Event => [
  "metadata",
  padded({ metrics: { latencyMs: 422 }, ...tokens(...used, usage), ...more }),
];
