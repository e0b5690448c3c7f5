// Embeddings: the request adapter, which says what a request needs of a model, how large its input is and how it is sent to a route; and
// the vectors as the caller asked for them, however the upstream wrote them (docs/behaviour/endpoints.md#embeddings).
import { setImmediate as breathe } from "node:timers/promises";
import type { components } from "../../generated/api.d.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { failParameter } from "../errors/fail.ts";
import { toUsd } from "../money.ts";
import { type JsonText, spliceJson } from "../providers/json/splice.ts";
import type { EmbedWhole, Vector } from "../providers/verbs/without-output.ts";
import { adapterOf } from "../routing/candidates.ts";
import { noOutput } from "./context-window.ts";
import { besideTexts, inputSize, tokensSize } from "./prompt-size.ts";
import type { RequestAdapter } from "./serve.ts";
import type { TokenBill } from "./token-call.ts";
import { assertPriced, isPriced, withheldEdits } from "./withheld-fields.ts";

interface EmbeddingRequest {
  text: JsonText;
  body: Pick<components["schemas"]["EmbeddingRequest"], "model" | "input" | "dimensions" | "encoding_format" | "routing"> & {
    messages?: unknown;
  };
}

/** Fields that no host reads as a part of the input, beside `input` itself. */
const unreadFields: ReadonlySet<string> = new Set([
  ...["model", "input", "encoding_format", "user", "routing"],
  ...["input_type", "task", "task_type", "truncate", "truncation", "embedding_types", "output_dtype"],
]);

export function embeddingAdapter({ providers }: Pick<Context, "providers">, { text, body }: EmbeddingRequest): RequestAdapter<EmbedWhole> {
  const inputs = inputsOf(body.input);
  const dimensions = body.dimensions ?? null;
  const takesDimensions = (model: Model) => dimensions === null || model.row.supported_parameters.includes("dimensions");
  return {
    model: body.model,
    type: "embedding",
    stream: false,
    assertFits(model) {
      // Some hosts read it instead of `input`, and load the images in it, which nothing here has counted.
      if (body.messages != null) failParameter("messages", "texts are sent as input");
      if (!takesDimensions(model)) failParameter("dimensions", `${model.id} does not make shorter vectors`);
      assertPriced(body, model);
    },
    fits: (other) => takesDimensions(other) && isPriced(body, other),
    measure() {
      const beside = besideTexts(body, unreadFields);
      return areTexts(inputs) ? inputSize(inputs, beside) : tokensSize(inputs, beside);
    },
    cap: noOutput,
    routing: body.routing,
    async call({ candidate, upstream }) {
      const embed = adapterOf(providers.embed, candidate);
      return embed({
        ...upstream,
        body: spliceJson(text, {
          ...withheldEdits(body, candidate),
          model: JSON.stringify(candidate.route.model),
          ...(body.dimensions === null ? { dimensions: null } : {}), // null means "not given", and not every host accepts it
        }),
        inputs: inputs.length,
        dimensions,
        base64: body.encoding_format === "base64",
      });
    },
    charactersOf: () => 0,
  };
}

/** One for each vector: all texts, or all lists of tokens. */
type Inputs = string[] | number[][];

function inputsOf(input: EmbeddingRequest["body"]["input"]): Inputs {
  if (typeof input === "string") return [input];
  return typeof input[0] === "number" ? [input as number[]] : (input as Inputs);
}

function areTexts(inputs: Inputs): inputs is string[] {
  return typeof inputs[0] === "string";
}

type EmbeddingList = components["schemas"]["EmbeddingList"];

/** Takes about ten milliseconds to write; the event loop runs in between, since an answer may hold three million numbers. */
const numbersAtOnce = 65_536;

/** An EmbeddingList as JSON. */
export async function embeddingList(
  model: string,
  vectors: readonly Vector[],
  { usage, cost }: TokenBill,
  base64: boolean,
): Promise<Buffer> {
  const tokens = usage.input;
  const list: Omit<EmbeddingList, "data"> = {
    object: "list",
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens, cost: toUsd(cost) },
  };
  const pieces = [Buffer.from(`${JSON.stringify(list).slice(0, -1)},"data":[`)];
  let numbers = 0;
  for (const [index, vector] of vectors.entries()) {
    const embedding = base64 ? base64Of(vector) : numbersOf(vector);
    const one: EmbeddingList["data"][number] = { object: "embedding", index, embedding };
    pieces.push(Buffer.from(`${index === 0 ? "" : ","}${JSON.stringify(one)}`));
    numbers += vector.length;
    if (numbers < numbersAtOnce) continue;
    numbers = 0;
    await breathe();
  }
  return Buffer.concat([...pieces, Buffer.from("]}")]);
}

function base64Of(vector: Vector): string {
  const { buffer, byteOffset, byteLength } = vector instanceof Float32Array ? vector : Float32Array.from(vector);
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function numbersOf(vector: Vector): number[] {
  return vector instanceof Float32Array ? Array.from(vector, shortDecimal) : [...vector];
}

const decimals = 1e10;

/** The same float32 in ten decimals where they suffice: half the text of the exact value, whose other digits carry nothing. */
function shortDecimal(value: number): number {
  const short = Math.round(value * decimals) / decimals;
  return Math.fround(short) === value ? short : value;
}
