// Checks addresses inside a request, which reach a provider as sent: a model server of the operator's must not be made to load from its own
// network. Parts and fields of unknown kinds are forwarded too, so all kinds are checked; plain text is skipped.
import { failParameter } from "../errors/fail.ts";
import { type AddressPolicy, assertMediaAddress, assertSentAddress, isAddress, isPath, startsAsAddress } from "../network/address.ts";
import { isObject } from "../providers/json/read.ts";

/** A text in a member of such a name is an address. */
const addressName = /ur[il]s?$/i;
/** Whose texts may be words, or below it the names of files. */
const documentName = /^documents?$/i;
/** Below media: what a file is called, or its words. */
const wordsName = /(?:name|title|caption|description|content)$/i;
/** A text in such a member, or below it, is bytes or an address. */
const mediaName = /^(?:input_)?(?:image|picture|video|audio|file|document|media|frame)s?(?:_data)?$/i;
/** Words, quotations and a tool's arguments: models read them, nothing loads them. */
export const words: ReadonlySet<string> = new Set([
  "text",
  "thinking",
  "refusal",
  "input",
  "arguments",
  "citations",
  "annotations",
  "filename",
]);

type Expected = "address" | "media" | "document" | "words";

/** What a text in a member of that name is; null: the name doesn't say. */
export function expectedIn(name: string): Exclude<Expected, "words"> | null {
  if (addressName.test(name)) return "address";
  if (documentName.test(name)) return "document";
  return mediaName.test(name) ? "media" : null;
}

/** Fields in which nothing is loaded: short values, words for the model, what has checks of its own, and what no provider gets. */
export const unloaded: ReadonlySet<string> = new Set([
  ...["model", "messages", "system", "tools", "tool_choice", "functions", "function_call", "response_format", "output_config"],
  ...["stop", "stop_sequences", "stream_options", "logit_bias", "user", "safety_identifier", "prompt_cache_key", "reasoning", "thinking"],
  ...["routing", "store", "metadata", "container", "mcp_servers"],
  ...["guided_json", "json_schema", "structured_outputs", "chat_template_kwargs"], // schemas and values for a template
]);

/** For the fields beside the messages or `texts`: those that no contract knows are forwarded as well. */
export function assertFieldAddresses(body: object, policy: AddressPolicy, texts: readonly string[] = []): void {
  for (const name in body) {
    if (unloaded.has(name) || texts.includes(name)) continue;
    const value = (body as Record<string, unknown>)[name];
    if (typeof value === "string") assertText(value, () => name, expectedIn(name) ?? "words", policy);
    else if (typeof value === "object") read(value, name, expectedIn(name) ?? "words", policy);
  }
}

/** For chat. */
export function assertChatAddresses(body: { messages: readonly object[] }, policy: AddressPolicy): void {
  assertMessageAddresses(body.messages, policy);
  assertFieldAddresses(body, policy);
}

/** The parts in `content`, and media beside it, such as images that a model made. */
function assertMessageAddresses(messages: readonly object[], policy: AddressPolicy): void {
  messages.forEach((message, index) => {
    for (const name in message) {
      if (name === "role") continue;
      const member = (message as Record<string, unknown>)[name];
      if (name === "content") {
        if (Array.isArray(member)) assertPartAddresses(member, `messages[${index}].content`, policy);
      } else if (expectedIn(name) !== null) read({ [name]: member }, `messages[${index}]`, "words", policy);
    }
  });
}

/** For /v1/messages, whose system prompt may come in parts too. */
export function assertPromptAddresses(body: { system?: unknown; messages: readonly object[] }, policy: AddressPolicy): void {
  if (Array.isArray(body.system)) assertPartAddresses(body.system, "system", policy);
  assertMessageAddresses(body.messages, policy);
  assertFieldAddresses(body, policy);
}

/** For the items of /v1/responses: contents, and tools' results. */
export function assertItemAddresses(input: string | readonly { content?: unknown; output?: unknown }[], policy: AddressPolicy): void {
  if (typeof input === "string") return;
  input.forEach(({ content, output }, index) => {
    if (Array.isArray(content)) assertPartAddresses(content, `input[${index}].content`, policy);
    if (Array.isArray(output)) assertPartAddresses(output, `input[${index}].output`, policy);
  });
}

/** Fails with invalid_parameter, which names the path of the address. */
function assertPartAddresses(parts: readonly unknown[], path: string, policy: AddressPolicy): void {
  read(parts, path, "words", policy);
}

/** Depth is bounded by the JSON reader (src/server/parse-json.ts). */
function read(value: unknown, path: string, expected: Expected, policy: AddressPolicy): void {
  if (typeof value === "string") assertText(value, () => path, expected, policy);
  else if (Array.isArray(value)) value.forEach((item, index) => read(item, `${path}[${index}]`, expected, policy));
  else if (isObject(value)) {
    // What an `image_url` holds besides its `url` is not an address.
    const inherited = expected === "address" ? "media" : expected;
    for (const name in value) {
      if (words.has(name)) continue;
      const member = value[name];
      const wanted = expectedIn(name) ?? (inherited === "media" && wordsName.test(name) ? "document" : inherited);
      if (typeof member === "string") assertText(member, () => `${path}.${name}`, wanted, policy);
      else if (typeof member === "object") read(member, `${path}.${name}`, wanted, policy);
    }
  }
}

function assertText(text: string, path: () => string, expected: Expected, policy: AddressPolicy): void {
  if (expected === "address" || (expected === "document" && isAddress(text))) assertSentAddress(text, path(), policy);
  if (expected !== "media") return;
  if (startsAsAddress(text)) assertMediaAddress(text, path(), policy);
  else if (isPath(text)) failParameter(path(), "it must be base64, a data URL or an https:// address, not a path");
}
