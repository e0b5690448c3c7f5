// @portkey-ai/gateway as npm gives it, one process, no state: it authenticates nobody, limits nothing and bills nothing.
import { targetCore } from "../ground.ts";
import { startChild } from "../processes.ts";
import { installPeer, npmInstall } from "./install.ts";
import { freePort } from "../../support/free-port.ts";
import { answers } from "./nginx.ts";
import type { Target } from "./types.ts";
import { unbilled } from "./unbilled.ts";

const version = "1.15.2";
/** Later ones hand out immutable headers for a stream, and Portkey answers 500. */
const overrides = { "@hono/node-server": "1.13.8" };

export const portkey: Target = {
  name: "portkey",
  title: `@portkey-ai/gateway ${version}`,
  async start({ newLog, mockUrl }) {
    const program = installPeer("portkey", "node_modules/@portkey-ai/gateway/build/start-server.js", (own) =>
      npmInstall(own, [`@portkey-ai/gateway@${version}`], overrides),
    );
    const port = await freePort();
    const child = await startChild([program, `--port=${port}`, "--headless"], null, { core: targetCore, logFile: newLog("portkey") });
    const url = `http://127.0.0.1:${port}`;
    await answers(url, 60_000);
    const headers = { "x-portkey-provider": "openai", "x-portkey-custom-host": `${mockUrl}/portkey/v1` };
    return unbilled("portkey", url, child, { headers, keys: ["sk-bench"] });
  },
};
