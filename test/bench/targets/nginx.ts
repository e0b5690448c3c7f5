// nginx with proxy_pass and kept connections: the floor of what any proxy costs. One process, its own configuration.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";
import { targetCore } from "../ground.ts";
import { startChild } from "../processes.ts";
import { LeftOut, type Target } from "./types.ts";
import { unbilled } from "./unbilled.ts";

const program = ["/usr/sbin/nginx", "nginx"].find((name) => spawnSync(name, ["-v"]).status === 0);

export const nginx: Target = {
  name: "nginx",
  title: "nginx proxy_pass",
  async start({ folder, mockUrl }) {
    if (program === undefined) throw new LeftOut("nginx is not installed (apt-get install nginx-light)");
    const own = join(folder, "nginx");
    mkdirSync(own, { recursive: true });
    const port = await freePort();
    writeFileSync(join(own, "nginx.conf"), configuration(own, port, mockUrl));
    const child = await startChild(["-p", own, "-c", join(own, "nginx.conf")], null, {
      core: targetCore,
      command: program,
      logFile: join(own, "stderr.log"),
    });
    const url = `http://127.0.0.1:${port}`;
    await answers(url);
    return unbilled("nginx", url, child);
  },
};

function configuration(own: string, port: number, mockUrl: string): string {
  return `daemon off; master_process off; pid ${own}/pid; error_log ${own}/error.log;
events { worker_connections 4096; }
http {
  access_log off; client_max_body_size 64m; client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy;
  fastcgi_temp_path ${own}/f; uwsgi_temp_path ${own}/u; scgi_temp_path ${own}/s;
  keepalive_requests 1000000000; keepalive_timeout 600s;
  upstream mock { server ${new URL(mockUrl).host}; keepalive 1024; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=2048;
    location / { proxy_pass http://mock/nginx/; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`;
}

export async function answers(url: string, timeoutMs = 10_000): Promise<void> {
  for (const giveUpAt = performance.now() + timeoutMs; ; await sleep(50)) {
    const reply = await fetch(url).catch(() => null);
    await reply?.body?.cancel();
    if (reply !== null) return;
    if (performance.now() > giveUpAt) throw new Error(`${url} does not answer`);
  }
}
