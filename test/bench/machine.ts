// Where and with what a run was made.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { canPin } from "./processes.ts";
import { peersFolder } from "./targets/install.ts";

export interface Machine {
  at: string;
  cpu: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  node: string;
  commit: string;
  versions: Record<string, string>;
  pinned: boolean;
  /** Of the minute before: what else ran. */
  load: number;
}

export function describeMachine(): Machine {
  return {
    at: new Date().toISOString(),
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: outputOf("git", ["describe", "--always", "--dirty"]),
    versions: { undici: packageVersion("node_modules/undici"), nginx: nginxVersion(), ...peerVersions() },
    pinned: canPin,
    load: loadavg()[0] as number,
  };
}

/** Known only once they are installed. */
export function peerVersions(): Record<string, string> {
  const litellm = join(peersFolder, "litellm/env/bin/python");
  return {
    portkey: packageVersion(join(peersFolder, "portkey/node_modules/@portkey-ai/gateway")),
    litellm: existsSync(litellm) ? outputOf(litellm, ["-c", "import importlib.metadata as m; print(m.version('litellm'))"]) : "none",
  };
}

function packageVersion(folder: string): string {
  const file = join(folder, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version : "none";
}

function nginxVersion(): string {
  try {
    return execFileSync("sh", ["-c", "PATH=$PATH:/usr/sbin nginx -v 2>&1"], { encoding: "utf8" })
      .trim()
      .replace("nginx version: nginx/", "");
  } catch {
    return "none";
  }
}

function outputOf(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "unknown";
  }
}
