// A process that is killed between sending and marking: another one sends the same notice again, with the same webhook-id, and not before the
// lease has ended.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { fixturePath } from "../media/file-server.ts";
import { codeOf, startTeamGateway, type TeamGateway } from "../operations/team/team-gateway.ts";
import { startWebhookServer, verified, type WebhookServer } from "../operations/team/webhook-server.ts";
import { spawnGateway } from "../support/gateway.ts";
import { oneInThree } from "../support/size.ts";

let gateway: TeamGateway;
let server: WebhookServer;
beforeAll(async () => {
  server = await startWebhookServer();
  gateway = await startTeamGateway({ env: { SVC_ALLOW_PRIVATE_URLS: "1" } }); // sends nothing itself
});
afterAll(async () => {
  await gateway.stop();
  await server.close();
});

oneInThree()(
  "kill -9 between send and mark: sent again once the lease has ended, with the same webhook-id and body, and not before",
  async () => {
    const env = {
      ...{ DATABASE_URL: gateway.databaseUrl, SVC_ALLOW_PRIVATE_URLS: "1" },
      NODE_EXTRA_CA_CERTS: fixturePath("tls-certificate.pem"),
    };
    const who = await gateway.person();
    const url = server.url("/crash").replace("files.test", "localhost");
    const { json } = await gateway.ask(who, "POST", "/v1/workspace/webhooks", { body: { url } });
    server.answers.set("/crash", () => undefined); // the sender waits for the answer when it is killed
    const first = await spawnGateway(env);
    expect(codeOf(await gateway.ask(who, "POST", `/v1/workspace/webhooks/${json.id}/test`))).toEqual([200, undefined]);
    await expect.poll(() => server.hooks.length).toBe(1);
    await first.kill("SIGKILL");
    server.answers.delete("/crash");
    // However long the second one takes to start.
    await gateway.context.db.pool.query("update notice_delivery set due_at = now() + interval '1 hour' where lease_owner is not null");
    const second = await spawnGateway(env);
    try {
      await sleep(7_000); // longer than a process takes to look for what is due
      expect(server.hooks).toHaveLength(1);
      await gateway.context.db.pool.query("update notice_delivery set due_at = now() where lease_owner is not null"); // the lease has ended
      await expect.poll(() => server.hooks.length).toBe(2);
      const [before, after] = server.hooks;
      expect([after!.headers["webhook-id"], after!.body]).toEqual([before!.headers["webhook-id"], before!.body]);
      expect(verified(after!, json.secret).type).toBe("webhook.test");
      const log = async () => (await gateway.ask(who, "GET", `/v1/workspace/webhooks/${json.id}/deliveries`)).json.data;
      await expect.poll(log).toMatchObject([{ status: "delivered", attempts: 2 }]);
    } finally {
      await second.kill("SIGTERM");
    }
  },
);
