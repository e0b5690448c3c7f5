// `npm run mock` as a user starts it, for the tests that call it.
import { fileURLToPath } from "node:url";
import "../support/packages.ts"; // Prism is one of them
import { spawnUntilReady } from "../support/spawn-until-ready.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface MockServer {
  url: string;
  stop(): Promise<void>;
}

export async function startMock(): Promise<MockServer> {
  // npm would hand a signal on to its child too late; a group of processes is ended as a whole.
  const words = ["run", "--silent", "mock", "--", "--port", "0"];
  const ready = /^mock of \d+ operations on (http\S+)$/;
  const { url, pid, exited } = await spawnUntilReady(ready, "npm", words, { cwd: root, detached: true });
  return {
    url,
    async stop() {
      process.kill(-pid, "SIGTERM");
      await exited;
    },
  };
}
