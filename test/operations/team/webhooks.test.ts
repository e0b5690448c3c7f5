// What is posted to webhooks: how it is signed, what is tried again and what is given up; the log of deliveries. Endpoints: webhook-endpoints.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeNotice } from "../../../src/notices/notices.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "./team-gateway.ts";
import { startWebhookServer, trusting, verified, type WebhookServer } from "./webhook-server.ts";

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
const sendTest = ({ who, id }: Made) => ask(who, "POST", `/${id}/test`);
const deliveries = async ({ who, id }: Made, more = "") => (await ask(who, "GET", `/${id}/deliveries${more}`)).json;
const atRest = (one: Made) => expect.poll(async () => (await deliveries(one)).data.map((d: any) => d.status)).not.toContain("waiting");
const arrived = (path: string, most = 1) => expect.poll(() => server.at(path).length).toBe(most);
/** As if the pause before the next attempt had gone by. */
const skipPause = ({ who }: Made) =>
  query("update notice_delivery set due_at = now() where account_id = $1 and due_at is not null", [who.accountId]);
const notice = ({ who }: Made, cause: string) =>
  writeNotice(gateway.context.db, {
    accountId: who.accountId,
    ...{ event: "payment.failed", cause, data: { topup_id: cause, amount_usd: 5 }, at: gateway.context.clock() },
  });

describe("what is posted", () => {
  test("a notice of an event that the endpoint gets, signed as Standard Webhooks says; another's is not", async () => {
    const [all, low] = [await made(), await made({ events: ["balance.low"] })];
    for (const one of [all, low]) await notice(one, `top_${one.id}`);
    await arrived(all.path);
    const [hook] = server.at(all.path);
    expect(verified(hook!, all.secret)).toEqual({
      type: "payment.failed",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      workspace_id: expect.stringMatching(/^ws_[0-9a-f]{32}$/),
      data: { topup_id: `top_${all.id}`, amount_usd: 5 },
    });
    expect(() => verified(hook!, low.secret)).toThrow(/No matching signature/);
    await atRest(all);
    const { data } = await deliveries(all);
    expect(data).toMatchObject([
      {
        webhook_id: hook!.headers["webhook-id"],
        event: "payment.failed",
        status: "delivered",
        attempts: 1,
        response_code: 204,
        next_attempt_at: null,
      },
    ]);
    expect((await deliveries(low)).data).toEqual([]);
    expect(server.at(low.path)).toEqual([]);
  });

  test("a rolled secret: both sign until the old one ends, and then the new one alone", async () => {
    const one = await made();
    const { json } = await ask(one.who, "POST", `/${one.id}/roll`, { grace_seconds: 3600 });
    expect(json.previous_secret_until).not.toBeNull();
    await sendTest(one);
    await arrived(one.path);
    for (const secret of [one.secret, json.secret]) expect(verified(server.at(one.path)[0]!, secret).type).toBe("webhook.test");
    const last = (await ask(one.who, "POST", `/${one.id}/roll`, { grace_seconds: 0 })).json;
    expect(last.previous_secret_until).toBeNull();
    await sendTest(one);
    await arrived(one.path, 2);
    for (const secret of [one.secret, json.secret]) expect(() => verified(server.at(one.path)[1]!, secret)).toThrow(/No matching/);
    expect(verified(server.at(one.path)[1]!, last.secret).data).toEqual({});
  });

  test("is tried again after a failure, with the same id and body and a new time; the log keeps a kilobyte of the answer", async () => {
    const one = await made();
    server.answers.set(one.path, (response) => void response.writeHead(500).end("x".repeat(5_000)));
    await sendTest(one);
    await arrived(one.path);
    const last = async () => (await deliveries(one)).data[0];
    await expect.poll(last).toMatchObject({ status: "waiting", attempts: 1, response_code: 500, response: "x".repeat(1_024) });
    expect((await ask(one.who, "GET", `/${one.id}`)).json.failing_since).not.toBeNull();
    server.answers.delete(one.path);
    await skipPause(one);
    await arrived(one.path, 2);
    const [first, second] = server.at(one.path);
    expect([second!.headers["webhook-id"], second!.body]).toEqual([first!.headers["webhook-id"], first!.body]);
    await expect.poll(last).toMatchObject({ status: "delivered", attempts: 2, response_code: 204, response: "" });
    expect((await ask(one.who, "GET", `/${one.id}`)).json.failing_since).toBeNull();
  });

  test("no redirect is followed", async () => {
    const one = await made();
    server.answers.set(one.path, (response) => void response.writeHead(307, { location: server.url("/elsewhere") }).end());
    await sendTest(one);
    await expect.poll(async () => (await deliveries(one)).data[0].response_code).toBe(307);
    expect(server.at("/elsewhere")).toEqual([]);
  });

  test("is given up after ten attempts", async () => {
    const one = await made();
    server.answers.set(one.path, (response) => void response.writeHead(503).end());
    await sendTest(one);
    for (let n = 1; n <= 10; n++) {
      await arrived(one.path, n);
      await expect
        .poll(
          async () =>
            (await query("select 1 from notice_delivery where account_id = $1 and lease_owner is not null", [one.who.accountId])).rowCount,
        )
        .toBe(0);
      await skipPause(one);
    }
    await expect.poll(async () => (await deliveries(one)).data[0]).toMatchObject({ status: "failed", attempts: 10 });
  });

  test("two processes post each notice once", async () => {
    const one = await made();
    const second = await startTeamGateway({
      databaseUrl: gateway.databaseUrl,
      notices: { everyMs: 50 },
      webhooks: trusting,
      env: { SVC_ALLOW_PRIVATE_URLS: "1", SVC_WEBHOOK_SECRET: "a secret of the tests, which is long enough" },
    });
    try {
      await Promise.all(Array.from({ length: 30 }, (_, n) => notice(one, `many ${n}`)));
      await expect
        .poll(async () => (await deliveries(one, "?limit=100")).data.filter((d: any) => d.status === "delivered").length)
        .toBe(30);
      const ids = server.at(one.path).map(({ headers }) => headers["webhook-id"]);
      expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
    } finally {
      await second.stop();
    }
  });
});

describe("the log of deliveries", () => {
  test("pages from the newest on; one of it is sent again with the same id, as a delivery of its own", async () => {
    const one = await made();
    for (let n = 0; n < 3; n++) await sendTest(one);
    await atRest(one);
    const first = await deliveries(one, "?limit=2");
    const rest = await deliveries(one, `?limit=2&after=${first.last_id}`);
    expect([first.data.length, first.has_more, rest.data.length, rest.has_more]).toEqual([2, true, 1, false]);
    const [oldest] = rest.data;
    const { status, json } = await ask(one.who, "POST", `/${one.id}/deliveries/${oldest.id}/replay`);
    expect([status, json.webhook_id, json.id === oldest.id]).toEqual([200, oldest.webhook_id, false]);
    await arrived(one.path, 4);
    expect(server.at(one.path)[3]!.headers["webhook-id"]).toBe(oldest.webhook_id);
    const other = await made();
    for (const after of ["x", `whd_${"0".repeat(32)}`, (await sendTest(other)).json.id])
      expect(codeOf(await ask(one.who, "GET", `/${one.id}/deliveries?after=${after}`))).toEqual([400, "invalid_parameter"]);
  });

  test("404 webhook_delivery_not_found: of another endpoint, unknown, or no id", async () => {
    const [one, other] = [await made(), await made()];
    const theirs = (await sendTest(other)).json.id;
    for (const id of [theirs, `whd_${"0".repeat(32)}`, "whd_1", "x"])
      expect(codeOf(await ask(one.who, "POST", `/${one.id}/deliveries/${id}/replay`))).toEqual([404, "webhook_delivery_not_found"]);
  });

  test("403 permission_denied: the 101st that would wait, and any to a disabled endpoint", async () => {
    const one = await made();
    await query(
      `with n as (insert into notice (account_id, id, event, cause, data, created_at, planned_at)
         values ($1, gen_random_uuid(), 'webhook.test', 'many', '{}', now(), now()) returning id)
       insert into notice_delivery (account_id, id, notice_id, endpoint_id, created_at, due_at)
       select $1, gen_random_uuid(), n.id, $2, now(), now() + interval '1 day' from n, generate_series(1, 100)`,
      [one.who.accountId, one.id.slice(4)],
    );
    expect(codeOf(await sendTest(one))).toEqual([403, "permission_denied"]);
    await query("delete from notice where account_id = $1", [one.who.accountId]);
    await ask(one.who, "PATCH", `/${one.id}`, { enabled: false });
    expect(codeOf(await sendTest(one))).toEqual([403, "permission_denied"]);
  });
});

describe("an endpoint that fails", () => {
  const mails = ({ who }: Made) => gateway.mails.filter(({ to }) => to === who.email);
  const shown = async ({ who, id }: Made) => (await ask(who, "GET", `/${id}`)).json;

  test("for five days is disabled, and its owners are told once by mail; enabled again it gets notices", async () => {
    const one = await made();
    server.answers.set(one.path, (response) => void response.writeHead(500).end());
    await query("update webhook_endpoint set failing_since = now() - interval '6 days' where account_id = $1", [one.who.accountId]);
    for (let n = 0; n < 5; n++) await notice(one, `five days ${n}`);
    await expect
      .poll(() =>
        mails(one)
          .map(({ subject }) => subject)
          .filter((subject) => /webhook/.test(subject)),
      )
      .toEqual(["A webhook was disabled"]);
    expect(await shown(one)).toMatchObject({ enabled: false, disabled_at: expect.any(String), failing_since: expect.any(String) });
    await skipPause(one);
    await atRest(one);
    expect((await deliveries(one)).data.map((d: any) => d.status)).toEqual(Array(5).fill("failed"));
    server.answers.delete(one.path);
    await ask(one.who, "PATCH", `/${one.id}`, { enabled: true });
    expect(await shown(one)).toMatchObject({ enabled: true, disabled_at: null, failing_since: null });
    const before = server.at(one.path).length;
    await sendTest(one);
    await arrived(one.path, before + 1);
  });

  test("with 410 is disabled at once", async () => {
    const one = await made();
    server.answers.set(one.path, (response) => void response.writeHead(410).end());
    await sendTest(one);
    await expect.poll(() => shown(one)).toMatchObject({ enabled: false });
    await atRest(one);
    expect((await deliveries(one)).data).toMatchObject([{ status: "failed", attempts: 1, response_code: 410 }]);
  });

  test("deleted, takes what waits with it", async () => {
    const one = await made();
    server.answers.set(one.path, (response) => void response.writeHead(500).end());
    await sendTest(one);
    await arrived(one.path);
    await ask(one.who, "DELETE", `/${one.id}`);
    expect((await query("select 1 from notice_delivery where endpoint_id = $1", [one.id.slice(4)])).rowCount).toBe(0);
  });
});
