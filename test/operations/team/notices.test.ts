// Notices over HTTP: their settings, what causes one, and the mails that arrive.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Mail } from "../../../src/mail/mailer.ts";
import * as causing from "../../notices/causing.ts";
import { scrape } from "../../telemetry/scrape.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "./team-gateway.ts";

let gateway: TeamGateway;
beforeAll(async () => void (gateway = await startTeamGateway({ notices: { everyMs: 50, lookMs: 100 } })));
afterAll(() => gateway.stop());

const path = "/v1/workspace/notices";
const usual = {
  object: "workspace.notices",
  low_balance_usd: 5,
  mails: [
    { event: "balance.low", roles: ["owner", "billing"] },
    { event: "key.budget_reached", roles: ["owner", "admin"] },
    { event: "key.expiring", roles: ["owner", "admin"] },
    { event: "member.budget_reached", roles: ["owner", "admin"] },
    { event: "payment.failed", roles: ["owner", "billing"] },
    { event: "payment.disputed", roles: ["owner", "billing"] },
    { event: "webhook.disabled", roles: ["owner", "admin"] },
  ],
};
const get = (who: Person, workspace?: string) => gateway.ask(who, "GET", path, { in: workspace });
const change = (who: Person, body: object, workspace?: string) => gateway.ask(who, "PATCH", path, { in: workspace, body });
const query = (sql: string, values: unknown[] = []) => gateway.context.db.pool.query(sql, values);
const look = () => causing.look(gateway);
const post = (accountId: bigint, usd: string, kind?: "deposit" | "adjustment") => causing.post(gateway, accountId, usd, kind);
const spend = (accountId: bigint, usd: string, period?: Date | null) => causing.spend(gateway, accountId, usd, period);
const atRest = () => causing.atRest(gateway);
const mailsTo = ({ email }: { email: string }): Mail[] => gateway.mails.filter(({ to }) => to === email);
const subjects = (who: { email: string }) => mailsTo(who).map(({ subject }) => subject);

describe("GET and PATCH /v1/workspace/notices", () => {
  test("a workspace that chose nothing is told what the gateway tells by itself", async () => {
    const { workspace, owner, admin, billing } = await gateway.team();
    for (const who of [owner, admin, billing]) expect((await get(who, workspace)).json).toEqual(usual);
  });

  test("a change keeps what it does not name, and all who may read it see it", async () => {
    const { workspace, owner, admin } = await gateway.team();
    const first = await change(owner, { mails: [{ event: "key.expiring", roles: [] }] }, workspace);
    expect(first.json.mails[2]).toEqual({ event: "key.expiring", roles: [] });
    const second = await change(admin, { low_balance_usd: 12.5 }, workspace);
    expect([second.status, second.json.low_balance_usd, second.json.mails[2].roles]).toEqual([200, 12.5, []]);
    expect((await change(admin, { low_balance_usd: null }, workspace)).json.low_balance_usd).toBeNull();
    const { json } = await get(owner, workspace);
    expect(json).toEqual({ ...usual, low_balance_usd: null, mails: usual.mails.with(2, { event: "key.expiring", roles: [] }) });
  });

  test("403 permission_denied: developers and viewers don't read them, those who pay don't change them, and nothing changes", async () => {
    const { workspace, owner, developer, billing, viewer } = await gateway.team();
    for (const who of [developer, viewer]) expect(codeOf(await get(who, workspace))).toEqual([403, "permission_denied"]);
    for (const who of [developer, billing, viewer])
      expect(codeOf(await change(who, { low_balance_usd: 1 }, workspace))).toEqual([403, "permission_denied"]);
    expect((await get(owner, workspace)).json).toEqual(usual);
  });

  test.each([
    [{ low_balance_usd: -1 }, "low_balance_usd"],
    [{ low_balance_usd: 0.123456789 }, "low_balance_usd"],
    [{ mails: [{ event: "key.lost", roles: [] }] }, "mails[0].event"],
    [{ mails: [{ event: "balance.low", roles: ["viewer"] }] }, "mails[0].roles[0]"],
    [
      {
        mails: [
          { event: "balance.low", roles: [] },
          { event: "balance.low", roles: ["owner"] },
        ],
      },
      "mails[1].event",
    ],
  ])("400 invalid_parameter: %j", async (body, param) => {
    const { status, json } = await change(await gateway.person(), body);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });

  test("403 session_required for a key", async () => {
    expect(codeOf(await gateway.request("GET", path, { key: (await gateway.person()).key }))).toEqual([403, "session_required"]);
  });
});

describe("balance.low", () => {
  test("once when it is crossed, to owners and those who pay; again only after it was above", async () => {
    const { workspace, accountId, owner, admin, billing } = await gateway.team();
    await post(accountId, "6");
    await look();
    await post(accountId, "-1.25", "adjustment");
    for (let n = 0; n < 3; n++) await look();
    await atRest();
    for (const who of [owner, billing]) expect(subjects(who)).toEqual(["Credit is low: 4.75 USD left"]);
    expect(subjects(admin)).toEqual([]);
    await post(accountId, "1");
    await look();
    await post(accountId, "-1", "adjustment");
    await look();
    await atRest();
    expect(subjects(owner)).toHaveLength(2);
    expect(mailsTo(owner)[0]!.text).toContain("less than 5.00 USD");
    expect(workspace).toMatch(/^ws_/);
  });

  test("a hundred looks at once at one crossing write one notice", async () => {
    const owner = await gateway.person();
    await post(owner.accountId, "6");
    await look();
    await post(owner.accountId, "-2", "adjustment");
    await Promise.all(Array.from({ length: 100 }, look));
    await atRest();
    expect(subjects(owner)).toEqual(["Credit is low: 4.00 USD left"]);
  });

  test("a deleted account, whose balance falls when a grant expires or the operator corrects it, is told nothing", async () => {
    const person = await gateway.person();
    await post(person.accountId, "6");
    await look();
    expect((await gateway.ask(person, "DELETE", "/v1/account?forfeit_balance=true")).status).toBe(200);
    await post(person.accountId, "-2", "adjustment");
    await look();
    await atRest();
    expect(gateway.mails.filter(({ to }) => to.endsWith("@deleted.invalid"))).toEqual([]);
    expect((await query("select 1 from notice_delivery where account_id = $1", [person.accountId])).rowCount).toBe(0);
  });

  test("a mail that waits to be sent again goes neither to who has left meanwhile nor to a role that is not told", async () => {
    const { workspace, accountId, owner, admin, billing } = await gateway.team();
    await query(
      `with n as (insert into notice (account_id, id, event, cause, data, created_at, planned_at)
         values ($1, gen_random_uuid(), 'balance.low', 'a test', '{"balance_usd": 1, "threshold_usd": 5}', now(), now()) returning id)
       insert into notice_delivery (account_id, id, notice_id, address, created_at, due_at, attempts)
       select $1, gen_random_uuid(), n.id, a, now(), now() + interval '1 hour', 1 from n, unnest($2::text[]) a`,
      [accountId, [owner, admin, billing].map(({ email }) => email)],
    );
    const removed = await gateway.ask(owner, "DELETE", `/v1/workspace/members/${billing.userId}`, { in: workspace });
    expect(removed.status).toBe(200);
    const counted = async (outcome: string) => (await scrape(gateway)).figure("svc_notice_deliveries_total", { outcome });
    const failed = await counted("failed");
    await query("update notice_delivery set due_at = now() where account_id = $1", [accountId]);
    await atRest();
    await expect.poll(() => counted("untold")).toBe(2);
    expect(await counted("failed")).toBe(failed);
    const low = "Credit is low: 1.00 USD left";
    expect([subjects(owner), subjects(admin)]).toEqual([[low], []]);
    expect(subjects(billing)).not.toContain(low);
  });

  test("an account that never had more is not told; nor one that wants no notice", async () => {
    const [poor, quiet] = [await gateway.person(), await gateway.person()];
    await change(quiet, { low_balance_usd: null });
    await post(poor.accountId, "3");
    await post(quiet.accountId, "6");
    await look();
    for (const { accountId } of [poor, quiet]) await post(accountId, "-2", "adjustment");
    await look();
    await atRest();
    expect([subjects(poor), subjects(quiet)]).toEqual([[], []]);
  });
});

describe("key.budget_reached", () => {
  const budget = async (limits: object) => {
    const owner = await gateway.person();
    const { json } = await gateway.ask(owner, "GET", "/v1/auth/keys");
    await gateway.ask(owner, "PATCH", `/v1/auth/keys/${json.data[0].id}`, { body: limits });
    return owner;
  };
  const after = async (owner: Person, ...spending: Parameters<typeof spend> extends [bigint, ...infer Rest] ? Rest : never) => {
    await spend(owner.accountId, ...spending);
    await Promise.all([look(), look()]);
    await atRest();
    return subjects(owner).map((subject) => /(\d+)%/.exec(subject)![1]);
  };

  test("at 50, 80 and 100 percent of a budget for life, once each; a raised limit begins anew", async () => {
    const owner = await budget({ limit_usd: 10 });
    expect(await after(owner, "4.99")).toEqual([]);
    expect(await after(owner, "5")).toEqual(["50"]);
    expect(await after(owner, "8.5")).toEqual(["50", "80"]);
    expect(await after(owner, "8.6")).toEqual(["50", "80"]);
    expect(await after(owner, "10")).toEqual(["50", "80", "100"]);
    const { json } = await gateway.ask(owner, "GET", "/v1/auth/keys");
    await gateway.ask(owner, "PATCH", `/v1/auth/keys/${json.data[0].id}`, { body: { limit_usd: 40 } });
    expect(await after(owner, "10.5")).toEqual(["50", "80", "100"]);
    expect(await after(owner, "20")).toEqual(["50", "80", "100", "50"]);
  });

  test("a recurring budget once in each period; the highest share alone where several are passed at once", async () => {
    const owner = await budget({ limit_usd: 10, limit_resets: "daily" });
    const [today, tomorrow] = [24, 48].map((hours) => new Date(Date.now() + hours * 3_600_000));
    expect(await after(owner, "9", today)).toEqual(["80"]);
    expect(await after(owner, "9", today)).toEqual(["80"]);
    expect(await after(owner, "5", tomorrow)).toEqual(["80", "50"]);
    expect(await after(owner, "9", new Date(Date.now() - 1_000))).toEqual(["80", "50"]); // that period is over
    expect(mailsTo(owner)[0]!.text).toContain("until it resets");
  });
});

describe("key.expiring", () => {
  test("seven days before and one, once each; a key that was made for a day is not told of the week", async () => {
    const owner = await gateway.person();
    const make = async (hours: number) => {
      const expires_at = new Date(Date.now() + hours * 3_600_000).toISOString();
      return (await gateway.ask(owner, "POST", "/v1/auth/keys", { body: { name: `<b>${hours}</b>`, expires_at } })).json.id.slice(4);
    };
    const id = await make(24 * 30);
    await make(48);
    const expiresIn = (hours: number) =>
      query("update api_key set expires_at = now() + make_interval(hours => $2), created_at = now() - interval '20 days' where id = $1", [
        id,
        hours,
      ]);
    await look();
    await expiresIn(24 * 6);
    await look();
    await look();
    await atRest();
    expect(subjects(owner)).toEqual(["An API key is about to expire"]);
    await query("update api_key set expires_at = expires_at - interval '5 days 1 hour' where id = $1", [id]);
    await look();
    await look();
    await atRest();
    expect(subjects(owner)).toHaveLength(2);
  });
});
