// POST /v1/messages/count_tokens: how many tokens a message request would send, by our own tokenizer. Free; no upstream is asked.
import { assertModelAllowed } from "../src/accounts/key-policy.ts";
import { servedModelOf } from "../src/catalog/resolve.ts";
import { assertDeclares } from "../src/language/chat/request.ts";
import { countPrompt } from "../src/language/counted-usage.ts";
import { assertReadable, assertSchemas, givenFields, messageRequirements } from "../src/language/messages/requirements.ts";
import { messageSize } from "../src/language/messages/size.ts";
import { assertPromptAddresses } from "../src/language/part-addresses.ts";
import type { Handler } from "../src/operation.ts";

export const countMessageTokens: Handler<"countMessageTokens"> = async ({ catalog, config, log }, request) => {
  const body = givenFields(request.body);
  assertSchemas(body.tools);
  assertPromptAddresses(body, config);
  const { model } = servedModelOf(catalog, body.model, ["language"]);
  assertModelAllowed(request.caller, model.id);
  const needs = messageRequirements(body);
  assertReadable(model, needs);
  assertDeclares(model, needs);
  return { status: 200, body: { input_tokens: await countPrompt({ log }, messageSize(body)) } };
};
