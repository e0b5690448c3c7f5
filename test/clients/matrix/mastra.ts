// Mastra in the matrix, over the AI SDK's provider. It is loaded by its path, where npm run test:clients has put it.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { npmPackages } from "../more/environment.ts";
import { type At, type Client, model, question, toolQuestion, unserved } from "./client.ts";
import { codeOf, costOfUsage, refusal, shape } from "./openai-like.ts";
import { versionIn } from "./versions.ts";

const core = join(npmPackages, "@mastra/core");
const load = (part: string): Promise<any> => import(pathToFileURL(join(core, `dist/${part}/index.js`)).href);

async function agentOf({ customer }: At, more: object = {}, id = model): Promise<any> {
  const { Agent } = await load("agent");
  const svc = customer.aiSdk({ includeUsage: true, supportsStructuredOutputs: true });
  return new Agent({ id: "sea", name: "sea", instructions: "Answer.", model: svc(id), maxRetries: 0, ...more });
}
const shown = (text: string, usage: any) => ({ text, input: usage.inputTokens, output: usage.outputTokens, cost: costOfUsage(usage.raw) });

export const mastra: Client = {
  name: "Mastra",
  version: versionIn(npmPackages, "@mastra/core"),
  needs: core,
  chat: async (at) => {
    const { text, usage } = await (await agentOf(at)).generate(question);
    return shown(text, usage);
  },
  stream: async (at) => {
    const stream = await (await agentOf(at)).stream(question);
    return shown(await stream.text, await stream.usage);
  },
  tools: async (at) => {
    let called: string | undefined;
    const { createTool } = await load("tools");
    const get_weather = createTool({
      id: "get_weather",
      description: "Tells the weather",
      inputSchema: z.object({ city: z.string() }),
      execute: async () => {
        called = "get_weather";
        return "sunny";
      },
    });
    await (await agentOf(at, { tools: { get_weather } })).generate(toolQuestion);
    return called;
  },
  structured: async (at) => (await (await agentOf(at)).generate(question, { structuredOutput: { schema: shape } })).object,
  errors: async (at) => {
    const error = (await refusal((await agentOf(at, {}, unserved)).generate(question))) as {
      responseBody?: string;
      cause?: { responseBody?: string };
    };
    const body = JSON.parse(error.responseBody ?? error.cause?.responseBody ?? "{}") as { error?: unknown };
    return codeOf(body.error ?? {});
  },
};
