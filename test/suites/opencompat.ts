// opencompat's end-to-end tests, which call with OpenAI's Python SDK and with none. They send no key, so that a proxy adds it.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { spawn } from "node:child_process";
import { frameworks, interpreter, pythonSdkTools, whyNot } from "../clients/python/environment.ts";
import { runEnvironment } from "../support/leftovers.ts";
import type { Outcome, Suite } from "./suite.ts";

/** A server that passes everything on with this key. */
async function withKey(base: string, key: string): Promise<{ url: string; close(): void }> {
  const server = createServer((asked, reply) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    const call = request(`${base}${asked.url!}`, { method: asked.method, headers }, (answer) => {
      reply.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(reply);
    });
    call.on("error", () => reply.destroy());
    asked.pipe(call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

interface Report {
  results: { name: string; category: string; passed: boolean; skipped: boolean; error: string | null; skip_reason: string | null }[];
}

async function reportOf(folder: string, server: string, model: string): Promise<Report> {
  const args = ["-B", join(folder, "tests/e2e.py"), "--server", server, "--provider", "copilot", "--model", model, "--json"];
  const environment = { ...runEnvironment(), PYTHONPATH: [frameworks, pythonSdkTools].join(delimiter) };
  const child = spawn(interpreter, args, { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (piece: Buffer) => void (printed += piece.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  const [json] = /^\{[^]*/m.exec(printed) ?? [];
  if (json === undefined) throw new Error(`no report: ${printed}`);
  return JSON.parse(json) as Report;
}

const understands = "Wants a model that understands what it reads; the simulator repeats it.";
const chatgpt = "Skipped by the suite: it is about its own server's provider for ChatGPT.";

export const opencompat: Suite = {
  name: "opencompat, end to end",
  repository: "https://github.com/nogara/opencompat",
  commit: "489561c65bd382834759659bf00f275def019051",
  whyNot,
  async run(folder, { base, key, model }): Promise<Outcome[]> {
    const proxy = await withKey(base, key);
    try {
      const { results } = await reportOf(folder, proxy.url, model);
      return results.map(({ name, passed, skipped, error, skip_reason }) => ({
        name,
        faults: skipped ? [`skipped: ${skip_reason ?? ""}`] : passed ? [] : [error ?? ""],
      }));
    } finally {
      proxy.close();
    }
  },
  reasons: {
    multi_turn_memory: understands,
    system_message: understands,
    tool_result_handling: understands,
    mcp_multi_turn_conversation: understands,
    mcp_multiple_tool_results: understands,
    model_effort_suffix_high: chatgpt,
    model_effort_suffix_low: chatgpt,
    reasoning_effort_param: chatgpt,
    model_missing_provider_prefix:
      "Its own server wants a provider before each model's name, and answers 400 without; here that is 404, as any unknown model.",
  },
};
