// Coding agents in the matrix, run without a screen as their users' scripts run them: each with a home of its own, and what it prints is read.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runEnvironment, scratchFolder } from "../../support/leftovers.ts";
import { aider, npmPackages } from "../more/environment.ts";
import { interpreter } from "../python/environment.ts";
import { type At, type Client, model, question, type Shown, unserved } from "./client.ts";
import { versionIn, versionOfDistribution } from "./versions.ts";

interface Call {
  command: string;
  args: readonly string[];
  environment?: Record<string, string>;
  /** Path in its home, and text. */
  files?: Readonly<Record<string, string>>;
}

/** What it prints, whatever its status: a refusal is one. Its home is also where it works. */
async function printed({ base, customer }: At, { command, args, environment = {}, files = {} }: Call): Promise<string> {
  const home = scratchFolder("agent-");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const env = { ...runEnvironment(), HOME: home, TMPDIR: home, SVC_URL: base, SVC_KEY: customer.account.key, ...environment };
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd: home, env, maxBuffer: 2 ** 26 }, (_error, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}`),
    );
    child.stdin!.end();
  });
}

const program = (name: string) => join(npmPackages, ".bin", name);
const lines = (text: string) => [...text.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line) as Record<string, any>);
const reviewSchema = JSON.stringify({
  type: "object",
  properties: { title: { type: "string" }, stars: { type: "integer" } },
  required: ["title", "stars"],
  additionalProperties: false,
});

async function codex(at: At, asked: string, more: readonly string[] = [], id = model): Promise<Record<string, any>[]> {
  const config = `model = "${id}"
model_provider = "svc"
model_context_window = 128000

[model_providers.svc]
name = "Gateway"
base_url = "${at.base}/v1"
env_key = "SVC_KEY"
wire_api = "responses"
`;
  const args = ["exec", "--json", "--skip-git-repo-check", ...more, asked];
  return lines(
    await printed(at, { command: program("codex"), args, files: { ".codex/config.toml": config, "review.json": reviewSchema } }),
  );
}
const codexText = (events: Record<string, any>[]) => events.findLast(({ item }) => item?.type === "agent_message")?.["item"].text as string;

const codexClient: Client = {
  name: "Codex",
  version: versionIn(npmPackages, "@openai/codex"),
  needs: program("codex"),
  stream: async (at) => {
    const events = await codex(at, question);
    const usage = events.find(({ type }) => type === "turn.completed")?.["usage"];
    return { text: codexText(events), input: usage?.input_tokens, output: usage?.output_tokens };
  },
  toolCalled: "update_goal",
  tools: async (at) => {
    const before = at.toolsCalled().length;
    await codex(at, "Call update_goal, please.");
    return at.toolsCalled().slice(before).at(-1);
  },
  structured: async (at) => JSON.parse(codexText(await codex(at, question, ["--output-schema", "review.json"]))) as unknown,
  refusal: async (at) => (await codex(at, question, [], unserved)).find(({ type }) => type === "error")?.["message"],
};

async function claude(at: At, asked: string, more: readonly string[] = [], id = model): Promise<Record<string, any>[]> {
  const small = { ANTHROPIC_DEFAULT_OPUS_MODEL: id, ANTHROPIC_DEFAULT_SONNET_MODEL: id, ANTHROPIC_DEFAULT_HAIKU_MODEL: id };
  const address = { ANTHROPIC_BASE_URL: at.base, ANTHROPIC_AUTH_TOKEN: at.customer.account.key, ANTHROPIC_MODEL: id };
  const environment = { ...address, ...small, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const args = ["-p", asked, "--verbose", "--output-format", "stream-json", ...more];
  return lines(await printed(at, { command: program("claude"), args, environment }));
}

const claudeClient: Client = {
  name: "Claude Code",
  version: versionIn(npmPackages, "@anthropic-ai/claude-code"),
  needs: program("claude"),
  guessesCost: true,
  stream: async (at) => {
    const { result, usage, total_cost_usd: cost } = (await claude(at, question)).at(-1)!;
    return { text: result as string, input: usage.input_tokens, output: usage.output_tokens, cost } as Shown;
  },
  toolCalled: "Read",
  tools: async (at) => {
    const events = await claude(at, "Call Read, please.", ["--tools", "Read"]);
    const blocks = events.flatMap(({ message }) => (message?.content ?? []) as { type: string; name: string }[]);
    return blocks.find(({ type }) => type === "tool_use")?.name;
  },
  structured: async (at) => (await claude(at, question, ["--json-schema", reviewSchema])).at(-1)!["structured_output"] as unknown,
  errors: async (at) => (await claude(at, question, [], unserved)).at(-1)!["api_error_code"] as unknown,
};

async function opencode(at: At, asked: string, id = model): Promise<Record<string, any>[]> {
  const row = { cost: { input: 0.5, output: 1.5 }, limit: { context: 128_000, output: 16_384 } };
  const options = { baseURL: "{env:SVC_URL}/v1", apiKey: "{env:SVC_KEY}" };
  const svc = { npm: "@ai-sdk/openai-compatible", name: "Gateway", options, models: { [id]: row } };
  const config = { model: `svc/${id}`, autoupdate: false, share: "disabled", provider: { svc } };
  // A title that is given is not asked for.
  const args = ["run", "--format", "json", "--title", "sea", asked];
  return lines(await printed(at, { command: program("opencode"), args, files: { "opencode.json": JSON.stringify(config) } }));
}

const opencodeClient: Client = {
  name: "opencode",
  version: versionIn(npmPackages, "opencode-ai"),
  needs: program("opencode"),
  stream: async (at) => {
    const events = await opencode(at, question);
    const { tokens, cost } = events.find(({ type }) => type === "step_finish")!["part"];
    const text = events.find(({ type }) => type === "text")!["part"].text as string;
    return { text, input: tokens.input, output: tokens.output, cost } as Shown;
  },
  toolCalled: "read",
  tools: async (at) => (await opencode(at, "Call read, please.")).find(({ type }) => type === "tool_use")?.["part"].tool as string,
  errors: async (at) => {
    const { error } = (await opencode(at, question, unserved)).find(({ type }) => type === "error")!;
    return (JSON.parse(error.data.responseBody as string) as { error: { code: string } }).error.code;
  },
};

async function aiderSays(at: At, more: readonly string[]): Promise<string> {
  const quiet = [
    "--no-git",
    "--yes-always",
    "--no-check-update",
    "--no-show-model-warnings",
    "--no-show-release-notes",
    "--analytics-disable",
  ];
  const environment = {
    PYTHONPATH: aider,
    OPENAI_API_BASE: `${at.base}/v1`,
    OPENAI_API_KEY: at.customer.account.key,
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
  const args = ["-B", "-m", "aider", "--model", `openai/${model}`, "--message", question, "--no-pretty", ...quiet, ...more];
  return printed(at, { command: interpreter, args, environment });
}

/** `Tokens: 2.4k sent, 58 received.` */
function aiderShown(text: string): Shown {
  const count = (amount: string | undefined) => (amount === undefined ? undefined : parseFloat(amount) * (amount.endsWith("k") ? 1000 : 1));
  const [, input, output] = /Tokens: ([\d.,k]+) sent, ([\d.,k]+) received/.exec(text) ?? [];
  return { text, input: count(input), output: count(output) };
}

const aiderClient: Client = {
  name: "aider",
  version: versionOfDistribution(aider, "aider_chat"),
  needs: aider,
  estimates: ["chat", "stream"],
  chat: async (at) => aiderShown(await aiderSays(at, ["--no-stream"])),
  stream: async (at) => aiderShown(await aiderSays(at, ["--stream"])),
};

export const agents: readonly Client[] = [codexClient, claudeClient, opencodeClient, aiderClient];
