// What the adapters send is what each vendor describes: rich requests of both dialects, over every protocol that has chat, whole and streamed.
import { describe, expect, test } from "vitest";
import { variants } from "../../../src/catalog/variants.ts";
import { openAdapters } from "../../../src/providers/adapters.ts";
import { UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import type { Protocol, Provider, Route } from "../../../src/providers/types.ts";
import { json, publicModel } from "../openai/chat-fixture.ts";
import { routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { describedFaults, descriptionOf, requestFaults, type Vendor } from "./described.ts";
import { chats, messages } from "./rich-requests.ts";

const project = "/v1/projects/p/locations/us-central1";

/** Protocol, model, and how the provider is written. */
const columns: Record<
  string,
  { protocol: Protocol; model?: string; path?: string; thinking?: Route["thinking"]; more?: Partial<Provider> }
> = {
  openai: { protocol: "openai", more: { variant: variants.openai } },
  "azure-openai": { protocol: "azure-openai", path: "/azure", more: { variant: variants.openai } },
  anthropic: { protocol: "anthropic" },
  "anthropic, adaptive thinking": { protocol: "anthropic", thinking: "adaptive" },
  gemini: { protocol: "gemini" },
  "gemini, levels of thinking": { protocol: "gemini", thinking: "adaptive" },
  vertex: { protocol: "vertex", path: project, model: "gemini-2.5-flash" },
  "vertex, Claude": { protocol: "vertex", path: project, model: "claude-sonnet-4-5" },
  bedrock: { protocol: "bedrock", model: "anthropic.claude-sonnet-4-5" },
  "bedrock, Nova": { protocol: "bedrock", model: "amazon.nova-pro-v1:0" },
  cohere: { protocol: "cohere" },
};

/** Requests that the protocol can't express: nothing is sent. */
const ofColumns = (names: string[], list: string[]) => Object.fromEntries(names.map((name) => [name, list]));
const rejections: Record<"chat" | "messages", Record<string, string[]>> = {
  chat: {
    ...ofColumns(["anthropic", "anthropic, adaptive thinking", "vertex, Claude", "bedrock", "bedrock, Nova"], ["two answers", "sound"]),
    ...ofColumns(["gemini", "gemini, levels of thinking", "vertex"], ["sound"]),
    cohere: ["two answers", "a file", "sound"],
  },
  messages: {
    ...ofColumns(["openai", "azure-openai", "gemini", "gemini, levels of thinking", "vertex"], ["an answer that was begun"]),
    cohere: ["a document", "an answer that was begun"],
  },
};

const dialects = { chat: chats, messages } as const;

async function faultsOf(column: string, dialect: keyof typeof dialects, fields: object, stream: boolean): Promise<unknown> {
  const { protocol, path = "", model = "upstream-model", thinking = "budget" as const, more = {} } = columns[column]!;
  const host = await startHost(json(500, "{}"));
  const route = { ...routeTo(host.url + path, { protocol, ...more }), model, thinking };
  const body = JSON.stringify({ model, ...fields, ...(stream && { stream }) });
  const call = { route, signal: new AbortController().signal, requestId: "req_test", body, stream, publicModel, outputMax: 4_000 };
  const adapters = openAdapters(useUpstream(), { fetchReference: refuse, fetchMade: refuse });
  const asked =
    dialect === "chat"
      ? adapters.chat[protocol]!(call)
      : adapters.messages[protocol]!({ ...call, betas: null, serverTools: [], promptTokens: () => Promise.resolve(7) });
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  if (!(error instanceof UpstreamError)) return error;
  if (error.fault === "rejected") return host.requests.length === 0 ? "rejected" : error;
  if (column === "anthropic, adaptive thinking")
    // its models take no sampling
    return host.requests.flatMap(({ body: sent }) => describedFaults("anthropic", "MessageRequest", JSON.parse(sent)));
  return host.requests.flatMap(({ url, body: sent }) => requestFaults({ path: url, json: JSON.parse(sent) }) ?? `nobody describes ${url}`);
}

function refuse(): never {
  throw new Error("no files are fetched here");
}

describe.each(Object.keys(columns))("%s", (column) => {
  test.each(["chat", "messages"] as const)("%s: what is sent has the form of the vendor's description", async (dialect) => {
    const asked = Object.entries(dialects[dialect]).flatMap(([name, fields]) => [false, true].map((stream) => ({ name, fields, stream })));
    const told = await Promise.all(
      asked.map(async ({ name, fields, stream }) => ({ name, stream, faults: await faultsOf(column, dialect, fields, stream) })),
    );
    const wrong = told.filter(({ faults }) => JSON.stringify(faults) !== "[]" && faults !== "rejected");
    expect(wrong).toEqual([]);
    const rejected = told.filter(({ faults, stream }) => faults === "rejected" && !stream).map(({ name }) => name);
    expect(rejected).toEqual(rejections[dialect][column] ?? []);
  });
});

describe("a description", () => {
  const hello = [{ role: "user", content: "Hello" }];
  const part = (more: object) => ({ contents: [{ role: "user", parts: [{ text: "Hello", ...more }] }] });
  test.each<[string, Vendor, string, object, string]>([
    ["an unknown field", "openai", "ChatRequest", { model: "m", messages: hello, top_k: 3 }, 'has no member "top_k"'],
    ["an unknown field far inside", "anthropic", "MessageRequest", { model: "m", max_tokens: 9, messages: [{ role: "user", content: [{ type: "text", text: "a", name: "b" }] }] }, 'has no member "name"'], // prettier-ignore
    ["a wrong type", "openai", "ChatRequest", { model: "m", messages: hello, max_completion_tokens: "9" }, "is no integer"],
    [
      "a word that is none of the list",
      "cohere",
      "ChatRequest",
      { model: "m", messages: hello, tool_choice: "ANY" },
      "is none of REQUIRED,NONE",
    ],
    ["a missing field", "anthropic", "MessageRequest", { model: "m", messages: hello }, '"max_tokens" is missing'],
    ["two of one choice", "gemini", "GenerateContentRequest", part({ functionCall: { name: "look" } }), "fits not one of"],
    ["an unknown field of Vertex", "vertex", "GenerateContentRequest", part({ title: "a" }), 'has no member "title"'],
    ["bytes that are none", "gemini", "GenerateContentRequest", { contents: [{ parts: [{ thoughtSignature: "ä" }] }] }, "has not the form"],
  ])("finds %s", (_name, vendor, root, value, fault) => {
    expect(describedFaults(vendor, root, value)).toEqual([expect.stringContaining(fault)]);
  });

  test.each<Vendor>(["openai", "anthropic", "cohere", "gemini", "vertex"])("of %s names package, version and licence", (vendor) => {
    const { source, licence } = descriptionOf(vendor);
    expect(source).toMatch(/^[a-z-]+ \d+\.\d+\.\d+, \S/);
    expect(licence).toMatch(/^(?:MIT|Apache[- ]2\.0)$/);
  });
});
