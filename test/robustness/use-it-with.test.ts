// The page "Use it with …" of README.md, run: each snippet as it stands there, by its own interpreter, against a real gateway whose address
// and key it has from two environment variables alone. The settings of agents are read, and their requests made.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { interpreter } from "../clients/python/environment.ts";
import { describeWithPython } from "../clients/python/python.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

interface Snippet {
  heading: string;
  language: string;
  code: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = /^## Use it with …\n.*?(?=^## )/ms.exec(readFileSync(`${root}/README.md`, "utf8"))![0];
const snippets = readSnippets(page);
const inLanguage = (language: string) => snippets.filter((snippet) => snippet.language === language);
const sectionOf = (heading: string) => snippets.find((snippet) => snippet.heading === heading)!;

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = (await gateway.createAccount({ deposit: "2000" })).key;
});
afterAll(() => gateway.stop());

test("the page is what is run here, and nothing else stands in it", () => {
  const headings = [...new Set(snippets.map(({ heading }) => heading))];
  expect(headings).toEqual(["Use it with …", "curl", "OpenAI SDK", "Anthropic SDK", "Vercel AI SDK", "LangChain", "Claude Code", "Codex"]);
  expect([...new Set(snippets.map(({ language }) => language))].sort()).toEqual(["python", "sh", "toml", "ts"]);
});

describe("TypeScript", () => {
  test.each(inLanguage("ts").map(({ heading, code }) => [heading, /from "([^"]+)"/.exec(code)![1]!, code]))(
    "%s, %s",
    async (_heading, _module, code) => expectAnswer(await run(process.execPath, ["--input-type=module-typescript", "-"], code)),
  );
});

describeWithPython("Python", () => {
  test.each(inLanguage("python").map(({ heading, code }) => [heading, code]))("%s", async (_heading, code) =>
    expectAnswer(await run(interpreter, ["-B", "-"], code)),
  );
});

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe.skipIf(!hasCurl)("curl", () => {
  test("the command", async () => {
    const answer = JSON.parse(await run("bash", ["-e"], sectionOf("curl").code)) as { choices: { message: { content: string } }[] };
    expectAnswer(answer.choices[0]!.message.content);
  });

  test("Claude Code: with these variables its requests are answered, also the small ones", async () => {
    const ask = (model: string) => `curl -s "$ANTHROPIC_BASE_URL/v1/messages?beta=true" -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" \
      -H "anthropic-version: 2023-06-01" -H "Content-Type: application/json" \
      -d "{\\"model\\":\\"${model}\\",\\"max_tokens\\":500,\\"stream\\":true,\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"Hello!\\"}]}"`;
    const { code } = sectionOf("Claude Code");
    const models = [...code.matchAll(/^export (ANTHROPIC_\w*MODEL)=/gm)].map(([, variable]) => `$${variable!}`);
    expect(models).toContain("$ANTHROPIC_MODEL");
    for (const model of models) {
      const events = await run("bash", ["-e"], `${code}\n${ask(model)}`);
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

/** The simulator repeats what it was asked; the snippet of the rankings asks nothing. */
function expectAnswer(printed: string): void {
  expect(printed).toMatch(/You said: "Hello!|waves, sand and a day at the sea/);
}

/** What the program prints; a status other than 0 is an error with what it said. */
async function run(command: string, args: string[], code: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, SVC_URL: gateway.url, SVC_KEY: key };
  const child = spawn(command, args, { cwd: root, env });
  child.stdin.end(code);
  let printed = "";
  let complained = "";
  child.stdout.on("data", (piece: Buffer) => void (printed += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => void (complained += piece.toString()));
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`${command} ended with ${String(status)}: ${complained}${printed}`);
  return printed;
}

function readSnippets(page: string): Snippet[] {
  return page.split(/^(?=##+ )/m).flatMap((section) => {
    const heading = /^##+ (.*)$/m.exec(section)![1]!;
    return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code]) => ({ heading, language: language!, code: code! }));
  });
}
