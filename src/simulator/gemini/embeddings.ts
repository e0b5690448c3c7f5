// batchEmbedContents: the vectors of the OpenAI protocol's embeddings, in Gemini's form.
import { readModelId } from "../directives.ts";
import { countInputs, dimensionsDefault, embed } from "../openai/embeddings.ts";
import { jsonReply, type Plan } from "../protocol.ts";
import { type Fields, isFields, readFields, readWhole, refuse } from "../request-fields.ts";

const batchMax = 100;

export function planBatch(body: Buffer, model: string): Plan {
  const fields = readFields(body);
  const { name, directives } = readModelId(model);
  const { requests } = fields;
  if (!Array.isArray(requests) || requests.length === 0)
    refuse("requests", "* BatchEmbedContentsRequest.requests: requests is not specified");
  if (requests.length > batchMax)
    refuse("requests", `* BatchEmbedContentsRequest.requests: at most ${batchMax} requests can be in one batch`);
  const texts = requests.map((request, index) => textOf(request, index, model));
  const embeddings = requests.map((request: Fields, index) => {
    const width = directives.ignoreDimensions
      ? dimensionsDefault
      : (readWhole(request, "outputDimensionality", 1, 8192) ?? dimensionsDefault);
    return { values: [...embed(name, texts[index]!, width)] };
  });
  const tokens = directives.promptTokens ?? countInputs(texts);
  const usage = directives.noUsage ? {} : { usageMetadata: { promptTokenCount: tokens } };
  const reply = jsonReply(200, JSON.stringify({ embeddings, ...usage }));
  return { model, directives, reply, bill: { input: tokens, output: 0 }, bytes: reply.body.length };
}

function textOf(request: unknown, index: number, model: string): string {
  const where = `requests[${index}]`;
  if (!isFields(request)) refuse(where, `Invalid value at '${where}'`);
  for (const name of Object.keys(request))
    if (!["model", "content", "taskType", "title", "outputDimensionality"].includes(name))
      refuse(name, `Invalid JSON payload received. Unknown name "${name}" at '${where}': Cannot find field.`);
  if (request["model"] !== `models/${model}`)
    refuse(where, `* BatchEmbedContentsRequest.${where}.model: model must match the batch's model.`);
  const { parts } = isFields(request["content"]) ? request["content"] : ({} as Fields);
  const text = Array.isArray(parts) ? parts.map((part: Fields) => String(part["text"])).join("") : "";
  return text === "" ? refuse(where, "content is required and can't be empty.") : text;
}
