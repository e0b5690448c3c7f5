// POST /v1/rerank. The lifecycle is in src/language/serve.ts; its result becomes a reply here.
import { assertFieldAddresses } from "../src/language/part-addresses.ts";
import { rankingOf, rerankAdapter } from "../src/language/rerank.ts";
import { serveWhole } from "../src/language/serve.ts";
import type { Handler } from "../src/operation.ts";

export const createRerank: Handler<"createRerank"> = async (context, request, ask) => {
  const { body, text } = request;
  assertFieldAddresses(body, context.config, ["query", "documents"]);
  const { answer, bill, headers } = await serveWhole(context, ask, rerankAdapter(context, { text, body }));
  return { status: 200, headers, body: rankingOf(answer, bill) };
};
