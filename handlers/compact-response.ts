// POST /v1/responses/compact: a model writes a summary of a conversation. The lifecycle is in src/language/serve.ts.
import { assertItemAddresses } from "../src/language/part-addresses.ts";
import { compactionAdapter, compactionOf, openSummaries } from "../src/language/responses/compaction.ts";
import { recall } from "../src/language/responses/stored.ts";
import { serveWhole } from "../src/language/serve.ts";
import type { Handler } from "../src/operation.ts";

export const compactResponse: Handler<"compactResponse"> = async (context, request, ask) => {
  using recalled = await recall(context, ask.caller, { ...request.body, conversation: null });
  return await recalled.asSent(async () => {
    const { body } = recalled;
    const summaries = await openSummaries(context, ask, body.input);
    const adapter = compactionAdapter(context, body, summaries);
    assertItemAddresses(body.input, context.config);
    const { answer, bill, headers } = await serveWhole(context, ask, adapter);
    return { status: 200, headers, body: await compactionOf(context, ask, body, { answer, bill }) };
  });
};
