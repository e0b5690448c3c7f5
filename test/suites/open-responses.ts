// The compliance suite of Open Responses: its module of tests, bundled from the repository, asks a gateway over HTTP and WebSocket.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { scratchFolder } from "../support/leftovers.ts";
import type { Outcome, Suite } from "./suite.ts";

interface Module {
  runAllTests(
    config: { baseUrl: string; apiKey: string; authHeaderName: string; useBearerPrefix: boolean; model: string; runtime: "server" },
    onProgress: () => void,
  ): Promise<{ name: string; status: string; errors?: string[] }[]>;
}

/** The suite is written against zod 3, which the newer package still holds. */
async function bundled(folder: string): Promise<Module> {
  const zod = new URL("../../node_modules/zod/v3/index.js", import.meta.url).pathname;
  const bundle = await rolldown({
    input: join(folder, "src/lib/compliance-tests.ts"),
    platform: "node",
    logLevel: "silent",
    tsconfig: false, // theirs builds on a package that is not installed
    resolve: { alias: { zod } },
  });
  const file = join(scratchFolder("open-responses-"), "suite.mjs");
  await bundle.write({ file, format: "esm" });
  await bundle.close();
  return (await import(pathToFileURL(file).href)) as Module;
}

export const openResponses: Suite = {
  name: "Open Responses, compliance",
  repository: "https://github.com/openresponses/openresponses",
  commit: "92c12d96d7b61d6d15e2214daa5e9c6000ab6e1c",
  async run(folder, { base, key, model }): Promise<Outcome[]> {
    const { runAllTests } = await bundled(folder);
    const config = { baseUrl: `${base}/v1`, apiKey: key, authHeaderName: "Authorization", useBearerPrefix: true, model };
    const results = await runAllTests({ ...config, runtime: "server" }, () => undefined);
    // What it could not run it has not found to pass.
    return results.map(({ name, status, errors = [] }) => ({ name, faults: status === "passed" ? [] : [status, ...errors] }));
  },
  reasons: {},
};
