// The guide "Integrations": what its samples don't show by themselves. guides.test.ts runs them; here the settings of agents are read, and
// their requests made.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { form } from "../clients/matrix/table.ts";
import {
  aider,
  goProgram,
  javaFolder,
  more,
  npmPackages,
  pins,
  pythonLibraries,
  rustProgram,
  shortLived,
  whyNotThere,
} from "../clients/more/environment.ts";
import { interpreter } from "../clients/python/environment.ts";
import { isWhole } from "../support/bundle.ts";
import { runEnvironment, scratchFolder } from "../support/leftovers.ts";
import { testPackages } from "../support/packages.ts";
import { readMatrix } from "../support/matrix-page.ts";
import { type Block, blocksOf } from "./guide-blocks.ts";
import { hasCurl } from "./guide-shell.ts";
import { runProcess } from "./run-block.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const blocks = blocksOf("clients");
const sectionOf = (heading: string) => blocks.find((block) => block.heading === heading)!;

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = (await gateway.createAccount({ deposit: "2000" })).key;
});
afterAll(() => gateway.stop());

test("nothing else stands in it, and every sample asks and prints the answer", () => {
  const headings = [...new Set(blocks.map(({ heading }) => heading))];
  expect(headings).toEqual([
    "Integrations",
    "curl",
    "OpenAI SDK",
    "Anthropic SDK",
    "Vercel AI SDK",
    "LangChain",
    "Other TypeScript clients",
    "Other Python clients",
    "Go",
    "Java",
    "Rust",
    "Claude Code",
    "Codex",
    "opencode",
    "aider",
  ]);
  expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(["go", "java", "json", "python", "rust", "sh", "toml", "ts"]);
  // The simulator repeats what it was asked; the samples of the rankings and of values print something else.
  const asking = blocks.filter(({ language, heading }) => ["ts", "python"].includes(language) || heading === "curl");
  for (const { prints, noRun, line } of asking) {
    expect(noRun).toBeNull();
    expect(String(prints), String(line)).toMatch(/You said: \\*"Hello!|waves, sand and a day at the sea|title=/);
  }
});

/** What the sample of a client holds, by the client's name in the matrix. */
const samples: Record<string, [language: string, text: string]> = {
  "OpenAI SDK, chat": ["ts", "client.chat.completions.create("],
  "OpenAI SDK, Responses": ["ts", "client.responses.create("],
  "AI SDK, openai-compatible": ["ts", "@ai-sdk/openai-compatible"],
  "AI SDK, openai.chat": ["ts", "openai.chat("],
  "AI SDK, openai (Responses)": ["ts", "openai("],
  "AI SDK, open-responses": ["ts", "@ai-sdk/open-responses"],
  "AI SDK, openrouter": ["ts", "@openrouter/ai-sdk-provider"],
  "AI SDK, anthropic": ["ts", "@ai-sdk/anthropic"],
  "LangChain, ChatOpenAI": ["ts", "model.invoke("],
  "LangChain, createAgent": ["ts", "createAgent("],
  "LangChain, ChatAnthropic": ["ts", "@langchain/anthropic"],
  "Anthropic SDK": ["ts", "@anthropic-ai/sdk"],
  "OpenAI Agents SDK": ["ts", "@openai/agents"],
  "OpenRouter SDK": ["ts", "@openrouter/sdk"],
  "Hugging Face Inference": ["ts", "@huggingface/inference"],
  "svc-sdk": ["ts", "svc-sdk"],
  "openai, chat (Python)": ["python", "client.chat.completions.create("],
  "openai, Responses (Python)": ["python", "client.responses.create("],
  "anthropic (Python)": ["python", "from anthropic import"],
  "litellm (Python)": ["python", "from litellm import"],
  "langchain-openai (Python)": ["python", "from langchain_openai import"],
  "pydantic-ai-slim (Python)": ["python", "from pydantic_ai import"],
  "openai-agents (Python)": ["python", "from agents import"],
  "llm (Python)": ["python", "import llm"],
  "dspy (Python)": ["python", "import dspy"],
  "smolagents (Python)": ["python", "from smolagents import"],
  "chatlas (Python)": ["python", "from chatlas import"],
  "aisuite (Python)": ["python", "import aisuite"],
  "agno (Python)": ["python", "from agno.agent import"],
  "agent-framework-openai (Python)": ["python", "from agent_framework import"],
  "svc-sdk (Python)": ["python", "from svc_sdk import"],
  "instructor (Python)": ["python", "import instructor"],
  "haystack-ai (Python)": ["python", "from haystack.utils import"],
  "llama-index-llms-openai-like (Python)": ["python", "from llama_index.llms.openai_like import"],
  "strands-agents (Python)": ["python", "from strands import"],
  Mastra: ["ts", "@mastra/core"],
  "openai-go (Go)": ["go", "github.com/openai/openai-go"],
  "anthropic-sdk-go (Go)": ["go", "github.com/anthropics/anthropic-sdk-go"],
  "sashabaranov/go-openai (Go)": ["go", "github.com/sashabaranov/go-openai"],
  "openai-java (Java)": ["java", "import com.openai."],
  "anthropic-java (Java)": ["java", "import com.anthropic."],
  "async-openai (Rust)": ["rust", "use async_openai::"],
  Codex: ["sh", "codex exec"],
  "Claude Code": ["sh", "claude -p"],
  opencode: ["sh", "opencode run"],
  aider: ["sh", "aider --model"],
};

test("every client of the matrix has a sample that runs, and says what it needs and shows", () => {
  const names = new Set(readMatrix(form).map(({ names: [name = ""] }) => name));
  // A sample may be of a client whose row was not run yet.
  expect(Object.keys(samples)).toEqual(expect.arrayContaining([...names]));
  for (const [name, [language, text]] of Object.entries(samples)) {
    const runs = (block: Block) => block.noRun === null && (block.apart === null || block.apart in apart);
    const found = blocks.some((block) => block.language === language && runs(block) && block.code.includes(text));
    expect([name, found]).toEqual([name, true]);
  }
});

test("what it says that clients show is what the matrix of clients found", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const found = readMatrix(form).map(({ names: [name = ""], cells }) => ({ name, cells }));
  const [table = ""] = /^\| client \|[\s\S]*?\n\n/m.exec(read("src/docs/guides/clients.md"))!;
  const told = table.trim().split("\n").slice(2).map((line) => line.slice(2, -2).split(" | ")); // prettier-ignore
  expect(told.length).toBe(new Set(found.map(({ name }) => name)).size);
  for (const [name, , tokens, cost = ""] of told)
    for (const { cells } of found.filter((row) => row.name === name)) {
      const streamed = tokens === "not tried" ? "" : /^an estimate|^rounded/.test(tokens!) ? "about" : "yes";
      const shown = cost.startsWith("an estimate") ? "about" : "yes";
      expect([name, cells["usage streamed"], cells["cost"], cells["cost streamed"]]).toEqual([
        name,
        streamed,
        cells["chat"] === "" ? "" : cost === "not shown" ? "no" : shown,
        streamed === "" ? "" : cost.endsWith("not shown") ? "no" : shown,
      ]);
    }
});

/** What the samples need that only npm run test:clients installs, by the word of their fence. */
const apart: Record<
  string,
  { path: string; run(code: string, place: { folder: string; environment: Record<string, string> }): Promise<string> }
> = {
  "Go's clients": {
    path: goProgram,
    async run(code, { environment }) {
      const file = join(scratchFolder("go-sample-"), "main.go");
      writeFileSync(file, code);
      // Go keeps what it compiled in its user's home.
      return runProcess("go", ["run", file], "", { folder: `${pins}go`, environment: { ...environment, HOME: homedir() } });
    },
  },
  "Java's clients": {
    path: javaFolder,
    async run(code, { folder, environment }) {
      writeFileSync(join(folder, "Sample.java"), code);
      const args = [...shortLived, "-cp", join(javaFolder, "packages", "*"), "Sample.java"];
      return runProcess("java", args, "", { folder, environment });
    },
  },
  "Rust's client": {
    path: rustProgram,
    async run(code, { environment }) {
      const folder = scratchFolder("rust-sample-");
      cpSync(join(pins, "rust"), folder, { recursive: true });
      mkdirSync(join(folder, "examples"));
      writeFileSync(join(folder, "examples/sample.rs"), code);
      const args = ["run", "--quiet", "--locked", "--release", "--target-dir", join(more, "rust"), "--example", "sample"];
      // Cargo finds its toolchain and packages in its user's home.
      return runProcess("cargo", args, "", { folder, environment: { ...environment, HOME: homedir() } });
    },
  },
  "Python's frameworks": {
    path: pythonLibraries,
    run: (code, { folder, environment }) =>
      runProcess(interpreter, ["-B", "-"], code, { folder, environment: { ...environment, PYTHONPATH: pythonLibraries } }),
  },
  Mastra: {
    path: join(npmPackages, "@mastra/core"),
    run(code, place) {
      const modules = join(place.folder, "node_modules");
      mkdirSync(modules);
      symlinkSync(join(npmPackages, "@mastra"), join(modules, "@mastra"));
      symlinkSync(join(testPackages, "@ai-sdk"), join(modules, "@ai-sdk"));
      return runProcess(process.execPath, ["--input-type=module-typescript", "-"], code, place);
    },
  },
  "Claude Code": {
    path: join(npmPackages, ".bin/claude"),
    run: (code, place) => inShell(`${sectionOf("Claude Code").code}${code}`, place),
  },
  Codex: {
    path: join(npmPackages, ".bin/codex"),
    run(code, place) {
      mkdirSync(join(place.folder, ".codex"));
      writeFileSync(join(place.folder, ".codex/config.toml"), sectionOf("Codex").code.replace("http://127.0.0.1:8787", gateway.url));
      return inShell(code, place);
    },
  },
  opencode: {
    path: join(npmPackages, ".bin/opencode"),
    run(code, place) {
      writeFileSync(join(place.folder, "opencode.json"), sectionOf("opencode").code);
      return inShell(code, place);
    },
  },
  aider: {
    path: aider,
    run: (code, place) =>
      inShell(`aider() { ${interpreter} -B -m aider --no-git --yes-always --no-check-update --analytics-disable "$@"; }\n${code}`, {
        ...place,
        environment: { ...place.environment, PYTHONPATH: aider },
      }),
  },
};

const inShell = (code: string, place: { folder: string; environment: Record<string, string> }) =>
  runProcess("bash", ["-ec", `exec 2>&1\n${code}`], "", place);

for (const block of blocks.filter((one) => one.apart !== null)) {
  const { path, run } = apart[block.apart!]!;
  const reason = isWhole() ? "not in runs of all tests" : whyNotThere(path);
  describe.skipIf(reason !== null)(reason ?? "installed apart", () => {
    test(`${block.line}, ${block.heading}: prints the answer`, async () => {
      const folder = scratchFolder("sample-");
      const PATH = `${join(npmPackages, ".bin")}:${process.env["PATH"]!}`;
      const environment = { ...runEnvironment(), HOME: folder, TMPDIR: folder, SVC_URL: gateway.url, SVC_KEY: key, PATH };
      expect(await run(block.code, { folder, environment })).toMatch(block.prints!);
    });
  });
}

describe.skipIf(!hasCurl)("curl", () => {
  test("Claude Code: with these variables its requests are answered, also the small ones", async () => {
    const ask = (model: string) => `curl -s "$ANTHROPIC_BASE_URL/v1/messages?beta=true" -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" \
      -H "anthropic-version: 2023-06-01" -H "Content-Type: application/json" \
      -d "{\\"model\\":\\"${model}\\",\\"max_tokens\\":500,\\"stream\\":true,\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"Hello!\\"}]}"`;
    const environment = { ...runEnvironment(), SVC_URL: gateway.url, SVC_KEY: key };
    const { code } = sectionOf("Claude Code");
    const models = [...code.matchAll(/^export (ANTHROPIC_\w*MODEL)=/gm)].map(([, variable]) => `$${variable!}`);
    expect(models).toContain("$ANTHROPIC_MODEL");
    for (const model of models) {
      const events = await runProcess("bash", ["-e"], `${code}\n${ask(model)}`, { folder: ".", environment });
      expect(events).toMatch(/^event: message_start\n/);
      expect(events).toContain("event: message_stop\n");
    }
  });
});

test("Claude Code: its model is not one of the words that it takes for models of its own", () => {
  // Seen of Claude Code 2.1.330: with ANTHROPIC_MODEL=best it asks for claude-opus-5-5, which is a 404 here.
  const [, model] = /^export ANTHROPIC_MODEL=(\S+)/m.exec(sectionOf("Claude Code").code)!;
  expect(["best", "default", "opus", "opusplan", "sonnet", "haiku"]).not.toContain(model);
});

test("AI SDK, anthropic: its sample says how long an answer may be, since the provider asks for 4,096 tokens where nothing is said", async () => {
  const asked: { max_tokens: number }[] = [];
  const note: typeof fetch = (address, init) => {
    asked.push(JSON.parse(init!.body as string) as { max_tokens: number });
    return fetch(address, init);
  };
  const model = createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: key, fetch: note })("best");
  const { code } = blocks.find((block) => block.code.includes("@ai-sdk/anthropic"))!;
  const maxOutputTokens = Number(/maxOutputTokens: ([\d_]+)/.exec(code)![1]!.replace("_", ""));
  for (const more of [{}, { maxOutputTokens }]) await generateText({ model, prompt: "Hello!", ...more });
  expect(asked.map(({ max_tokens }) => max_tokens)).toEqual([4_096, maxOutputTokens]);
  expect(maxOutputTokens).toBeGreaterThan(4_096);
});

test("Codex: the endpoint and the key that this file names answer a request of it", async () => {
  const { code } = sectionOf("Codex");
  const value = (name: string) => new RegExp(`^${name} = "([^"]+)"$`, "m").exec(code)![1]!;
  expect(code).toContain(`[model_providers.${value("model_provider")}]`);
  expect(value("env_key")).toBe("SVC_KEY");
  const address = value("base_url").replace("http://127.0.0.1:8787", gateway.url);
  const reply = await fetch(`${address}/${value("wire_api")}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: value("model"), input: [{ role: "user", content: "Hello!" }], stream: true, store: false }),
  });
  expect(reply.status).toBe(200);
  expect(await reply.text()).toContain("event: response.completed\n");
});
