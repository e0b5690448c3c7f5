// What OpenAI's and Anthropic's own clients have types for, and the gateway takes, compiles with svc-sdk as well; a filter that takes
// several values takes one.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testPackages } from "../support/packages.ts";
import { addNodeTypes, emptyProject, type Project, root } from "./packed.ts";
import { symlinkSync } from "node:fs";

let project: Project;
beforeAll(async () => {
  project = await emptyProject();
  addNodeTypes(project);
  for (const name of ["openai", "@anthropic-ai"]) symlinkSync(join(testPackages, name), join(project.folder, "node_modules", name), "dir");
});
afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

/** What the compiler says; "" where all is well. */
async function complaintsOf(program: string): Promise<string> {
  const compilerOptions = { strict: true, noEmit: true, target: "esnext", module: "nodenext", types: ["node"], skipLibCheck: true, exactOptionalPropertyTypes: true }; // prettier-ignore
  project.write({ "program.ts": program, "tsconfig.json": JSON.stringify({ compilerOptions, files: ["program.ts"] }) });
  return project.run(process.execPath, [join(root, "node_modules/typescript-native/bin/tsc"), "-p", "."]).then(
    () => "",
    (error: unknown) =>
      String((error as Error).message)
        .replace(/^.*\n/, "")
        .trim(),
  );
}

test("every field of OpenAI's and of Anthropic's requests is a field of ours, but for those of Responses that have no effect", async () => {
  const program = `
import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type { ChatRequest, CompletionRequest, EmbeddingRequest, MessageRequest, ResponseRequest } from "svc-sdk";
type Missing<Theirs, Ours> = Exclude<keyof Theirs, keyof Ours>;
export const chat: Missing<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, ChatRequest>[] = [] satisfies never[];
export const embeddings: Missing<OpenAI.EmbeddingCreateParams, EmbeddingRequest>[] = [];
export const completions: Missing<OpenAI.CompletionCreateParamsNonStreaming, CompletionRequest>[] = [];
export const messages: Missing<Anthropic.MessageCreateParamsNonStreaming, MessageRequest>[] = [];
type OfResponses = Missing<OpenAI.Responses.ResponseCreateParamsNonStreaming, ResponseRequest>;
const withoutEffect = ["access_programs", "context_management", "image", "moderation", "prompt_cache_options", "prompt_cache_retention", "stream_options"] as const satisfies OfResponses[];
export const responses: Exclude<OfResponses, (typeof withoutEffect)[number]>[] = [];
const none = (_: never) => {};
none(chat[0]!); none(embeddings[0]!); none(completions[0]!); none(messages[0]!); none(responses[0]!);
`;
  expect(await complaintsOf(program)).toBe("");
});

test("a request with all of OpenAI's forwarded fields compiles, null where OpenAI takes null; a wrong kind does not", async () => {
  const program = (seed: string) => `
import Svc from "svc-sdk";
const svc = new Svc({ apiKey: "svc_x" });
void svc.chat.completions.create({
  model: "best",
  messages: [{ role: "user", content: "Hello" }],
  seed: ${seed}, frequency_penalty: 0.5, presence_penalty: -0.5, logit_bias: { "50256": -100 }, user: "u1",
  logprobs: true, top_logprobs: 2, n: 1, stop: ["\\n"], parallel_tool_calls: false, verbosity: "low", safety_identifier: "u1",
  prompt_cache_key: "k", prompt_cache_retention: "24h", service_tier: "auto", modalities: ["text"], store: false, metadata: { order: "7" },
  prediction: { type: "content", content: "Hello" }, web_search_options: { search_context_size: "low" },
});
void svc.chat.completions.create({ model: "best", messages: [{ role: "user", content: "Hello" }], seed: null, logit_bias: null, user: null });
void svc.embeddings.create({ model: "embed", input: "Hello", user: "u1" });
void svc.messages.create({ model: "best", max_tokens: 9, messages: [{ role: "user", content: "Hello" }], stop_sequences: ["x"], top_k: 5, metadata: { user_id: "u1" } });
`;
  expect(await complaintsOf(program("1"))).toBe("");
  expect(await complaintsOf(program("'one'"))).toMatch(/^program\.ts\(7,3\)[^\n]*not assignable to type 'number'/);
});

test("filters that take several values take one", async () => {
  const program = `
import Svc from "svc-sdk";
const svc = new Svc();
void svc.models.list({ type: "language", tags: ["vision"], owned_by: "north", supported_parameters: "tools" });
void svc.jobs.list({ status: "succeeded" });
void svc.jobs.list({ status: ["succeeded", "failed"] });
// @ts-expect-error no such status
void svc.jobs.list({ status: "done" });
`;
  expect(await complaintsOf(program)).toBe("");
});
