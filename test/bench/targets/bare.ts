// The reference that every ratio is of: bare-server.ts, with the flags of `npm start`.
import { join } from "node:path";
import { targetCore } from "../ground.ts";
import { endChild, startChild } from "../processes.ts";
import type { Target } from "./types.ts";

export const bare: Target = {
  name: "bare",
  title: "bare node:http + undici dispatch",
  async start({ folder, mockUrl }, { inspect }) {
    const logFile = join(folder, "bare.log");
    const args = [...(inspect ? ["--inspect=127.0.0.1:0"] : []), "test/bench/targets/bare-server.ts", `${mockUrl}/bare`];
    const child = await startChild(args, /^(\d+)\n/, { core: targetCore, logFile });
    return {
      name: "bare",
      owner: "bare",
      url: `http://127.0.0.1:${child.found}`,
      pids: () => [child.pid],
      logFile,
      headers: {},
      keys: [],
      ledger: null,
      stop: () => endChild(child.process),
    };
  },
};
