// Endpoints for webhooks over HTTP: made, listed, changed and deleted, by those who may.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "./team-gateway.ts";
import { startWebhookServer, trusting, type WebhookServer } from "./webhook-server.ts";

let gateway: TeamGateway;
let server: WebhookServer;
beforeAll(async () => {
  server = await startWebhookServer();
  gateway = await startTeamGateway({
    notices: { everyMs: 50 },
    webhooks: trusting,
    env: { SVC_ALLOW_PRIVATE_URLS: "1", SVC_WEBHOOK_SECRET: "a secret of the tests, which is long enough" },
  });
});
afterAll(async () => {
  await gateway.stop();
  await server.close();
});

const root = "/v1/workspace/webhooks";
const ask = (who: Person, method: string, path = "", body?: object, workspace?: string) =>
  gateway.ask(who, method, root + path, { in: workspace, ...(body && { body }) });
const query = (sql: string, values: unknown[] = []) => gateway.context.db.pool.query(sql, values);
let paths = 0;

interface Made {
  who: Person;
  /** Of the server. */
  path: string;
  id: string;
  secret: string;
}
async function made(body: object = {}): Promise<Made> {
  const [who, path] = [await gateway.person(), `/hook/${++paths}`];
  const { status, json } = await ask(who, "POST", "", { url: server.url(path), ...body });
  expect([status, json.error]).toEqual([200, undefined]);
  return { who, path, id: json.id, secret: json.secret };
}

describe("endpoints", () => {
  test("are made with a secret that is shown once, and is not readable in the database; listed, changed and deleted", async () => {
    const { who, id, secret, path } = await made({ description: "pager", events: ["balance.low"] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const record = { id, object: "webhook_endpoint", url: server.url(path), description: "pager", events: ["balance.low"], enabled: true };
    const { json } = await ask(who, "GET", `/${id}`);
    expect(json).toMatchObject({ ...record, failing_since: null, disabled_at: null, previous_secret_until: null });
    expect(json).not.toHaveProperty("secret");
    expect((await ask(who, "GET")).json).toEqual({ object: "list", data: [json], has_more: false });
    const { rows } = await query("select secret from webhook_endpoint where account_id = $1", [who.accountId]);
    expect(rows[0].secret).toMatch(/^sealed\./);
    const changed = await ask(who, "PATCH", `/${id}`, { events: [], description: null, enabled: false });
    expect(changed.json).toMatchObject({ id, events: null, description: null, enabled: false, url: record.url });
    expect((await ask(who, "DELETE", `/${id}`)).json).toEqual({ deleted: true, id });
    expect((await ask(who, "GET")).json.data).toEqual([]);
  });

  test("404 webhook_not_found: another workspace's, a deleted one and a text that is none look the same", async () => {
    const { who, id } = await made();
    const stranger = await gateway.person();
    const { id: deleted } = (await ask(stranger, "POST", "", { url: server.url("/deleted") })).json;
    expect((await ask(stranger, "DELETE", `/${deleted}`)).status).toBe(200);
    const body = { url: server.url("/x") };
    for (const [method, path, sent] of [
      ["GET", ""],
      ["PATCH", "", body],
      ["DELETE", ""],
      ["POST", "/roll", {}],
      ["POST", "/test"],
      ["GET", "/deliveries"],
      ["POST", "/deliveries/whd_1/replay"],
    ] as const) {
      const answers = new Set<string>();
      for (const one of [id, deleted, `whk_${"0".repeat(32)}`, "whk_1", "x"]) {
        const reply = await ask(stranger, method, `/${one}${path}`, sent);
        expect([method, path, codeOf(reply)]).toEqual([method, path, [404, "webhook_not_found"]]);
        answers.add(reply.text.replaceAll(reply.headers["x-request-id"]!, "REQUEST"));
      }
      expect([method, path, [...answers]]).toEqual([method, path, [expect.not.stringContaining(id)]]);
    }
    expect((await ask(who, "GET", `/${id}`)).json).toMatchObject({ id, enabled: true, previous_secret_until: null });
  });

  test("403 permission_denied: only owners and admins see and change them; the 11th is refused", async () => {
    const { workspace, owner, admin, developer, billing, viewer } = await gateway.team();
    const create = (who: Person) => ask(who, "POST", "", { url: server.url("/team") }, workspace);
    for (const who of [developer, billing, viewer]) {
      expect(codeOf(await create(who))).toEqual([403, "permission_denied"]);
      expect(codeOf(await ask(who, "GET", "", undefined, workspace))).toEqual([403, "permission_denied"]);
    }
    const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => create(n % 2 ? owner : admin)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 403, 403]);
  });

  test.each(["http://files.test/x", "https://user:pass@files.test/x", "https://169.254.169.254/x", "ftp://files.test", "nothing at all"])(
    "400 invalid_parameter: %s, at creation and at a change, and nothing changes",
    async (url) => {
      const { who, id, path } = await made();
      for (const reply of [await ask(who, "POST", "", { url }), await ask(who, "PATCH", `/${id}`, { url, enabled: false })])
        expect([...codeOf(reply), reply.json.error.param]).toEqual([400, "invalid_parameter", "url"]);
      expect((await ask(who, "GET")).json.data).toMatchObject([{ url: server.url(path), enabled: true }]);
    },
  );

  test("403 session_required for a key", async () => {
    const { key } = await gateway.person();
    expect(codeOf(await gateway.request("GET", root, { key }))).toEqual([403, "session_required"]);
  });
});
