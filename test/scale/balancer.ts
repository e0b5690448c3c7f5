// nginx in front of gateways, by the very file of deploy/nginx with addresses and folders of this test.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";

export interface Balancer {
  url: string;
  /** The same server over TLS, where it was asked for. */
  secureUrl: string | null;
  /** All that nginx has written, on its error stream and into both logs. */
  log(): string;
  stop(): Promise<void>;
}

const conf = fileURLToPath(new URL("../../deploy/nginx/nginx.conf", import.meta.url));

/** `ports`: of the three gateways. `certificate`: files of one and of its key; what it speaks TLS with. `within`: where its folder is to be. */
export async function startBalancer(
  nginx: string,
  ports: readonly number[],
  certificate?: readonly [string, string],
  within = inject("runFolder"),
): Promise<Balancer> {
  const folder = mkdtempSync(join(within, "nginx-"));
  const port = await freePort();
  const securePort = certificate === undefined ? null : await freePort();
  const secure =
    certificate === undefined
      ? ""
      : ` listen 127.0.0.1:${securePort} ssl; ssl_certificate ${certificate[0]}; ssl_certificate_key ${certificate[1]};`;
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${folder}/${what};`).join(" ");
  let text = readFileSync(conf, "utf8");
  for (const [from, to] of [
    ["listen 80;", `listen 127.0.0.1:${port};${secure}`],
    ["worker_processes auto;", `worker_processes 1; daemon off;${process.getuid?.() === 0 ? " user root;" : ""}`],
    ["pid /run/nginx.pid;", `pid ${folder}/nginx.pid;`],
    ["http {", `http { ${temp}`],
    ...ports.map((replica, index) => [`server 10.0.0.1${index + 1}:8787 `, `server 127.0.0.1:${replica} `]),
    ["/var/log/nginx", folder],
    ["/var/log/nginx", folder],
    ["/var/log/nginx", folder],
  ] as [string, string][]) {
    if (!text.includes(from)) throw new Error(`deploy/nginx/nginx.conf has no "${from}"`);
    text = text.replace(from, to);
  }
  const path = join(folder, "nginx.conf");
  writeFileSync(path, text);
  mkdirSync(join(folder, "logs"));
  const child = spawn(nginx, ["-p", folder, "-c", path], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (piece: Buffer) => (output += piece));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${output}`);
    return fetch(`${url}/metrics`).then(
      ({ status }) => status === 404,
      () => false,
    );
  }, "nginx listens");
  const secureUrl = securePort === null ? null : `https://127.0.0.1:${securePort}`;
  return {
    url,
    secureUrl,
    log: () => output + ["error.log", "access.log"].map((name) => readFileSync(join(folder, name), "utf8")).join(""),
    stop: () => end(child),
  };
}

export function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill(signal);
  return ended;
}
