// POST /v1/embeddings. The lifecycle is in src/language/serve.ts; its result becomes a reply here.
import { embeddingAdapter, embeddingList } from "../src/language/embeddings.ts";
import { assertFieldAddresses } from "../src/language/part-addresses.ts";
import { serveWhole } from "../src/language/serve.ts";
import type { Handler } from "../src/operation.ts";

export const createEmbeddings: Handler<"createEmbeddings"> = async (context, request, ask) => {
  const { body, text } = request;
  assertFieldAddresses(body, context.config, ["input"]);
  const { answer, bill, call, headers } = await serveWhole(context, ask, embeddingAdapter(context, { text, body }));
  const base64 = body.encoding_format === "base64";
  const bytes = await embeddingList(call.admitted.model.id, answer.vectors, bill, base64);
  return { status: 200, headers: { ...headers, "content-type": "application/json" }, bytes };
};
