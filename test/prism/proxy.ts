// Prism's own proxy on the contract, as its command line starts it: answers are judged, requests are not.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free-port.ts";
import { testPackages } from "../support/packages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Proxy {
  url: string;
  stop(): Promise<void>;
}

export async function startProxy(upstream: string): Promise<Proxy> {
  const port = await freePort();
  const flags = ["-p", String(port), "--errors", "--validate-request", "false", "-v", "fatal"];
  const child = spawn(process.execPath, [join(testPackages, ".bin/prism"), "proxy", ...flags, "generated/openapi.json", upstream], {
    cwd: root,
    env: { ...process.env, SCARF_ANALYTICS: "false" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(url, child);
  return {
    url,
    async stop() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}

/** Reading the contract takes a few seconds, on a busy machine many. */
async function answering(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Prism ended before it answered");
}
