// POST /embeddings: unit vectors that follow from the text, near each other for texts that share words,
// so that a search demo finds what it should.
import type { Directives } from "../directive-list.ts";
import { readModelId } from "../directives.ts";
import { countTokens } from "../prose.ts";
import { jsonReply, type Plan } from "../protocol.ts";
import { readFields, readModel, readWhole, refuse } from "../request-fields.ts";
import { seededRandom } from "../seed.ts";

const inputsMax = 2048;
export const dimensionsDefault = 1536;
const dimensionsMax = 8192;
/** Each word of a text pushes so many places of its vector. */
const placesPerWord = 8;
/** Makes every vector full and every text's its own, without hiding which words it shares with others. */
const noise = 0.05;

export function planEmbeddings(body: Buffer): Plan {
  const fields = readFields(body);
  const model = readModel(fields);
  const { name, directives } = readModelId(model);
  const inputs = readInputs(fields["input"]);
  const asked = readWhole(fields, "dimensions", 1, dimensionsMax) ?? dimensionsDefault;
  const dimensions = directives.ignoreDimensions ? dimensionsDefault : asked;
  const format = fields["encoding_format"] ?? "float";
  if (format !== "float" && format !== "base64")
    refuse("encoding_format", "Invalid 'encoding_format': expected 'float' or 'base64'.", "invalid_value");
  const data = inputs.map((input, index) => {
    const vector = embed(name, input, dimensions);
    return { object: "embedding", index, embedding: format === "base64" && !directives.floatOnly ? toBase64(vector) : [...vector] };
  });
  if (directives.unordered) data.reverse();
  const reply = jsonReply(200, JSON.stringify({ object: "list", data, model, ...usageField(directives, inputs) }));
  const bill = { input: directives.promptTokens ?? countInputs(inputs), output: 0 };
  return { model, directives, reply, bill, bytes: reply.body.length };
}

/** A text, texts, a list of token numbers, or lists of them. */
function readInputs(input: unknown): (string | number[])[] {
  const list = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  if (list.length === 0 || list.length > inputsMax) refuse("input", `Invalid 'input': expected 1 to ${inputsMax} inputs.`);
  for (const [index, item] of list.entries()) {
    const numbers = Array.isArray(item) && item.every((token) => Number.isInteger(token));
    if ((typeof item !== "string" && !numbers) || item.length === 0) refuse("input", `Invalid 'input[${index}]': it can't be empty.`);
  }
  return list as (string | number[])[];
}

export function countInputs(inputs: (string | number[])[]): number {
  return inputs.reduce((sum, input) => sum + (typeof input === "string" ? countTokens(input) : input.length), 0);
}

function usageField(directives: Directives, inputs: (string | number[])[]): Record<string, unknown> {
  if (directives.noUsage) return {};
  const tokens = directives.promptTokens ?? countInputs(inputs);
  return { usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** Made at full width and then cut, as models do whose vectors may be shortened: a shorter one is the longer one's beginning. */
export function embed(model: string, input: string | number[], dimensions: number): Float32Array {
  const text = typeof input === "string" ? input : input.join(" ");
  const width = Math.max(dimensionsDefault, dimensions);
  const random = seededRandom(`${model}:${text}`);
  const full = Float64Array.from({ length: width }, () => (random() - 0.5) * noise);
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  for (const word of words) {
    const places = seededRandom(word);
    for (let push = 0; push < placesPerWord; push += 1) full[Math.floor(places() * dimensionsDefault)]! += places() < 0.5 ? -1 : 1;
  }
  const cut = full.subarray(0, dimensions);
  const length = Math.hypot(...cut);
  return Float32Array.from(cut, (value) => value / length);
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}
