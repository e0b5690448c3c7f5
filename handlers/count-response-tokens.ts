// POST /v1/responses/input_tokens: how many tokens a request to /v1/responses would send, by our own tokenizer. Free; no upstream is asked.
import { assertModelAllowed } from "../src/accounts/key-policy.ts";
import { servedModelOf } from "../src/catalog/resolve.ts";
import { countPrompt } from "../src/language/counted-usage.ts";
import { assertItemAddresses } from "../src/language/part-addresses.ts";
import { openSummaries } from "../src/language/responses/compaction.ts";
import { responseAdapter, toChatRequest } from "../src/language/responses/chat-request.ts";
import { recall } from "../src/language/responses/stored.ts";
import type { Handler } from "../src/operation.ts";

export const countResponseTokens: Handler<"countResponseTokens"> = async (context, request) => {
  using recalled = await recall(context, request.caller, request.body);
  return await recalled.asSent(async () => {
    const { body } = recalled;
    const adapter = responseAdapter(context, toChatRequest(body, await openSummaries(context, request, body.input)));
    assertItemAddresses(body.input, context.config);
    const { model } = servedModelOf(context.catalog, adapter.model, ["language"]);
    assertModelAllowed(request.caller, model.id);
    adapter.assertFits(model);
    return { status: 200, body: { object: "response.input_tokens", input_tokens: await countPrompt(context, adapter.measure()) } };
  });
};
