// Three replicas on one Postgres behind nginx, run by deploy/nginx/nginx.conf: kill -9 at random moments costs nobody anything.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect } from "vitest";
import { needTool } from "../support/find-tool.ts";
import { chat } from "../robustness/chat-client.ts";
import { expectExactAfter, openReplicas, type Replicas } from "./kills.ts";
import { oneInThree } from "../support/size.ts";

const nginx = needTool("nginx");
let replicas: Replicas | undefined;
afterEach(() => replicas?.stop());

describe.skipIf(nginx === null)("three replicas behind nginx", () => {
  oneInThree()(
    "each killed in turn under load: money, limits and the upstream's count agree; what is affordable is served, no more; with none left a 503 says so",
    async () => {
      replicas = await openReplicas(nginx!, async () => ({}));
      const { balancer, kill, restart } = replicas;
      await expectExactAfter(replicas, async (served) => {
        const order = [0, 1, 2].sort(() => Math.random() - 0.5);
        const restarts: Promise<void>[] = [];
        for (const index of order) {
          await served(40);
          await sleep(Math.random() * 200);
          await kill(index);
          restarts.push(restart(index));
        }
        await Promise.all(restarts);
        await served(40);
      });

      // None left: JSON with Retry-After, and the caller's request id.
      await Promise.all([0, 1, 2].map(kill));
      const reply = await fetch(`${balancer.url}/v1/models`, { headers: { "x-request-id": "mine-1" } });
      expect(reply.status).toBe(503);
      expect(reply.headers.get("retry-after")).toBe("1");
      expect(await reply.json()).toMatchObject({ error: { code: "overloaded", request_id: "mine-1" } });
      expect((await chat({ url: balancer.url, key: "svc_none", model: "demo/whole" })).status).toBe(503);
    },
  );
});
