// `npm run mock` as a user starts it, for the tests that call it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface MockServer {
  url: string;
  stop(): Promise<void>;
}

export async function startMock(): Promise<MockServer> {
  // npm would hand a signal on to its child too late; a group of processes is ended as a whole.
  const child = spawn("npm", ["run", "--silent", "mock", "--", "--port", "0"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const ready = /^mock of \d+ operations on (http\S+)$/.exec(line);
      if (ready) resolve(ready[1]!);
    });
    void exited.then(() => reject(new Error(`the mock ended before it was ready:\n${output}`)));
  });
  return {
    url,
    async stop() {
      process.kill(-child.pid!, "SIGTERM");
      await exited;
    },
  };
}
