// The reference that every ratio is of: bare-server.ts, with the flags of `npm start`.
import { targetCore } from "../ground.ts";
import { startChild } from "../processes.ts";
import type { Target } from "./types.ts";
import { unbilled } from "./unbilled.ts";

export const bare: Target = {
  name: "bare",
  title: "bare node:http + undici dispatch",
  async start({ newLog, mockUrl }, { inspect }) {
    const logFile = newLog("bare");
    const args = [...(inspect ? ["--inspect=127.0.0.1:0"] : []), "test/bench/targets/bare-server.ts", `${mockUrl}/bare`];
    const child = await startChild(args, /^(\d+)\n/, { core: targetCore, logFile });
    return unbilled("bare", `http://127.0.0.1:${child.found}`, child, { logFile });
  },
};
