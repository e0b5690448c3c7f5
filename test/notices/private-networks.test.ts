// Webhooks never reach a private network, whatever the name of an endpoint resolves to when something is posted.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ca, resolver } from "../media/file-server.ts";
import { startTeamGateway, type TeamGateway } from "../operations/team/team-gateway.ts";
import { startWebhookServer, type WebhookServer } from "../operations/team/webhook-server.ts";

let gateway: TeamGateway;
let server: WebhookServer;
const names: Record<string, string[]> = { "files.test": ["93.184.215.14"] };
beforeAll(async () => {
  server = await startWebhookServer();
  gateway = await startTeamGateway({ notices: { everyMs: 50 }, webhooks: { ca, resolve: resolver(names) } });
});
afterAll(async () => {
  await gateway.stop();
  await server.close();
});

const create = async (url: string) => {
  const who = await gateway.person();
  return { who, ...(await gateway.ask(who, "POST", "/v1/workspace/webhooks", { body: { url } })) };
};

test.each([
  "https://127.0.0.1/x",
  "https://[::1]/x",
  "https://10.0.0.7/x",
  "https://localhost/x",
  "https://hooks.internal/x",
  "https://169-254-169-254.nip.io/x",
])("400 invalid_parameter: %s as an endpoint's address", async (url) => {
  const { status, json } = await create(url);
  expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "url"]);
});

test("a name that leads into a private network when it is posted to gets no connection, and the log says no more than that", async () => {
  const port = new URL(server.url("/")).port;
  for (const address of ["127.0.0.1", "::1", "10.0.0.7", "169.254.169.254", "::ffff:127.0.0.1"]) {
    names["rebound.example.com"] = [address];
    const { who, json } = await create(`https://rebound.example.com:${port}/x`);
    await gateway.ask(who, "POST", `/v1/workspace/webhooks/${json.id}/test`);
    const log = async () => (await gateway.ask(who, "GET", `/v1/workspace/webhooks/${json.id}/deliveries`)).json.data;
    const response = "The address does not lead to a public host.";
    await expect.poll(log).toMatchObject([{ attempts: 1, response_code: null, response }]);
  }
  expect(server.connections()).toBe(0);
});
