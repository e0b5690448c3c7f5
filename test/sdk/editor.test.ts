// A stranger at an editor, with the packed library in an empty project: what is offered at each place is what is documented, no more, and
// what is shown has names and texts.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operation, schema } from "../contract/read-contract.ts";
import { cursor, type Editor, editorOf, placesIn } from "./editor.ts";
import { emptyProject, type Project, readme, samplesOf } from "./packed.ts";

let project: Project;
let editor: Editor;
beforeAll(async () => {
  project = await emptyProject();
  editor = editorOf(project);
});
afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

const start = `import Svc, { SvcError } from "svc-sdk";
const svc = new Svc();
const messages = [{ role: "user" as const, content: "Hello" }];
const chat = svc.chat.completions.create({ model: "best", messages });
const answer = await chat;
const stream = await svc.chat.completions.create({ model: "best", messages, stream: true });
const image = await svc.images.generateAndWait({ model: "image", prompt: "A lighthouse" });
const speech = await svc.audio.speech.create({ input: "Hello" });
const result = await chat.result();
`;
const offered = (program: string) => editor.completions(`${start}${program}`).join(" ");
const shown = (program: string) => editor.hover(`${start}${program}`);
const fieldsOf = (name: string) => Object.keys(schema(name).properties ?? {}).sort();

test("the program that all places below stand in has no errors", () => {
  expect(editor.errors(`${start}void [answer, stream, image, speech, result, SvcError];`)).toEqual([]);
});

describe("completion offers", () => {
  test.each([
    [
      "the library's nouns",
      "svc.‸",
      "account audio auth batches chat client completions conversations credits decisions embeddings errors files genmedia images jobs keys limits messages models operator pricing quote rerank responseCache responses usage videos workspaces",
    ],
    ["what a noun has", "svc.chat.completions.‸", "create"],
    ["nouns inside a noun", "svc.credits.‸", "autoTopup balance grants ledger statements topups vouchers"],
    ["what images can do", "svc.images.‸", "createVariation edit generate generateAndWait"],
    ["the client's options", "new Svc({ ‸ })", "apiKey baseURL fetch headers maxRetries maxRetryDelay sessionToken timeout"],
    [
      "a call's options",
      "svc.chat.completions.create({ model: '', messages }, { ‸ })",
      "extraBody headers idempotencyKey maxRetries signal timeout",
    ],
    [
      "the options of waiting",
      "svc.images.generateAndWait({ model: '', prompt: '' }, { ‸ })",
      "extraBody headers idempotencyKey maxRetries maxWait onProgress signal timeout",
    ],
    ["three ways to take an answer", "chat.‸", "catch finally result then withResponse"],
    ["a stream's controller and cost", "stream.‸", "controller cost"],
    ["ways to read audio", "speech.‸", "arrayBuffer blob bytes contentType cost headers stream"],
    ["roles", "svc.chat.completions.create({ messages: [{ role: '‸' }] })", "assistant developer function system tool user"],
    [
      "formats, whatever they lead to",
      "svc.audio.transcriptions.create({ file: new Blob(), response_format: '‸' })",
      "diarized_json json srt text verbose_json vtt",
    ],
    [
      "kinds of blocks",
      "svc.messages.create({ messages: [{ role: 'user', content: [{ type: '‸' }] }] })",
      "compaction document image redacted_thinking search_result server_tool_use text thinking tool_result tool_use web_fetch_tool_result web_search_tool_result",
    ],
    ["statuses to list by", "svc.jobs.list({ status: ['‸'] })", "expired failed pending processing queued refunded succeeded"],
    [
      "what a failed call says",
      "try {} catch (error) { if (SvcError.is(error)) error.‸ }",
      "body cause code docUrl headers httpStatus message name param requestId retryAfterMs retryable stack status type",
    ],
    [
      "the sums of a 402",
      "try {} catch (error) { if (SvcError.is(error, 'model_requires_paid')) error.body.‸ }",
      "balance details error have_usd held_usd need_usd required resets_at topup topup_url",
    ],
    ["what a 404 suggests", "if (!result.ok && result.error.status === 404) result.error.body.‸", "did_you_mean error suggested_models"],
  ])("%s: %s", (_what, program, names) => {
    expect(offered(program)).toBe(names);
  });

  test("exactly the contract's fields of a request, and of an answer", () => {
    expect(offered("svc.chat.completions.create({ ‸ })")).toBe(fieldsOf("ChatRequest").join(" "));
    expect(offered("svc.images.generate({ ‸ })")).toBe(fieldsOf("ImageRequest").join(" "));
    expect(offered("answer.‸")).toBe(fieldsOf("ChatCompletion").join(" "));
    expect(offered("image.‸")).toBe(fieldsOf("ImageJob").join(" "));
    const query = operation("listUsageLogs").parameters.flatMap((parameter) => (parameter.in === "query" ? [parameter.name] : []));
    expect(offered("svc.usage.logs({ ‸ })")).toBe(query.sort().join(" "));
  });

  test("the statuses of the operation, and the codes of all", () => {
    const statuses = Object.keys(operation("createChatCompletion").responses).filter((status) => status >= "400");
    expect(offered("if (!result.ok && result.error.status === ‸)").match(/\b\d+\b/g)).toEqual(statuses);
    const codes = offered("SvcError.is(null, '‸')").split(" ");
    expect(codes).toEqual(
      expect.arrayContaining(["model_requires_paid", "insufficient_balance", "rate_limit", "content_policy", "timeout"]),
    );
  });

  test("the package's own names to import, none of its parts", () => {
    const values = editor.completions(`import { ${cursor} } from "svc-sdk";`).filter((name) => /^([a-z]|Svc)/.test(name));
    expect(values).toEqual(["Svc", "SvcError", "costOf", "createClient", "verifyReceipt"]);
  });
});

describe("hovering shows", () => {
  test.each([
    ["answer‸", "const answer: ChatCompletion"],
    ["stream‸", "const stream: Stream<ChatChunk>"],
    ["image‸", "const image: Succeeded<ImageJob>"],
    ["chat‸", 'const chat: Call<ChatCompletion, "createChatCompletion", never>'],
    ["if (!result.ok && result.error.status === 402) result.error‸", "(property) error: SvcError & Readonly<CreateChatCompletionError402>"],
  ])("a name for %s", (program, name) => {
    expect(shown(program).split("\n")[0]).toBe(name);
  });

  test("on a method what it does, its endpoint, its page, an example and its codes by status", () => {
    const text = shown("svc.chat.completions.create‸({ model: '', messages })");
    expect(text).toContain(operation("createChatCompletion").description!);
    expect(text).toContain("`POST /v1/chat/completions`, /docs/api/createChatCompletion");
    expect(text).toContain("@example await svc.chat.completions.create({");
    expect(text).toContain("@throws {SvcError} 402 `insufficient_credits`, `key_limit_reached`, `model_requires_paid`");
    expect(text).not.toContain("@deprecated");
    expect(shown("svc.completions.create‸({ model: '' })")).toContain("@deprecated");
  });

  test("on a field its text", () => {
    const text = shown("svc.chat.completions.create({ model: '', messages, max_tokens‸: 1 })");
    expect(text).toContain(schema("ChatRequest").properties!.max_tokens!.description!);
    expect(shown("answer.usage.cost‸")).toContain(schema("ChatUsage").properties!.cost!.description!);
  });
});

test("a slip is reported once, in its own words", () => {
  const errorsOf = (call: string) => editor.errors(`${start}void svc.chat.completions.create(${call});`);
  expect(errorsOf("{ model: '', messages, temperature: 'hot' }")).toEqual(["Type 'string' is not assignable to type 'number'."]);
  expect(errorsOf("{ model: '', messages: [{ role: 'robot', content: '' }] }")).toEqual([
    `Type '"robot"' is not assignable to type 'ChatRole'.`,
  ]);
  expect(errorsOf("{ model: '' }")).toEqual([expect.stringContaining("Property 'messages' is missing")]);
});

describe("the README's first programs can be written by completion alone", () => {
  const programs = samplesOf(readme()).slice(0, 2);
  const places = programs.flatMap((program) => placesIn(program));
  test("there are many places", () => expect(places.length).toBeGreaterThan(40));
  test.each(places.map(({ word, before, program }) => [word, before, program] as const))("%s after %s", (word, _before, program) => {
    expect(editor.completions(program)).toContain(word);
  });
});
