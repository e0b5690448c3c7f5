// Every event of the contract from its cause to those who are told: what is posted to the webhooks of the workspace, which mails arrive with
// whom, and what the log of notices says of both.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workspaceIdText } from "../../src/ids.ts";
import type { Mail } from "../../src/mail/mailer.ts";
import { writeNotice } from "../../src/notices/notices.ts";
import { type Team, startTeamGateway, type TeamGateway } from "../operations/team/team-gateway.ts";
import { startWebhookServer, trusting, verified, type WebhookServer } from "../operations/team/webhook-server.ts";
import { until } from "../support/eventually.ts";
import type { Gateway, TestReply } from "../support/gateway.ts";
import { guardedPerson } from "../support/second-factor.ts";
import { password, type Person, type SignInGateway, startSignInGateway } from "../support/sign-in.ts";
import { type SignedEvent, startStripe, stripeEnv, type StripeServer } from "../support/stripe-server.ts";
import { atRest, look, post, spend } from "./causing.ts";
import { personEvents, workspaceEvents } from "./contract-events.ts";

let server: WebhookServer;
let stripe: StripeServer;
let gateway: TeamGateway;
let people: SignInGateway;
beforeAll(async () => {
  [server, stripe] = [await startWebhookServer(), await startStripe()];
  const [env, more] = [{ SVC_ALLOW_PRIVATE_URLS: "1" }, { notices: { everyMs: 50 }, webhooks: trusting }];
  gateway = await startTeamGateway({ ...more, env: { ...env, ...stripeEnv(stripe) } });
  people = await startSignInGateway(env, "quick", more);
});
afterAll(async () => {
  await gateway.stop();
  await people.stop();
  await stripe.close();
  await server.close();
});

const root = "/v1/workspace/webhooks";
let paths = 0;

interface Endpoint {
  /** Of the server. */
  path: string;
  id: string;
  secret: string;
}
/** `create` asks for it in a workspace. */
async function endpointOf(create: (body: object) => Promise<TestReply>, more: object = {}): Promise<Endpoint> {
  const path = `/hook/${++paths}`;
  const { status, json } = await create({ url: server.url(path), ...more });
  expect([status, json.error]).toEqual([200, undefined]);
  return { path, id: json.id, secret: json.secret };
}
const typesAt = ({ path }: Endpoint): string[] => server.at(path).map(({ body }) => JSON.parse(body).type);

/** The guide's table: the members of each event's data, and those that it has sometimes. */
const guide = readFileSync(new URL("../../src/docs/guides/webhooks.md", import.meta.url), "utf8");
const documented = new Map(
  [...guide.matchAll(/^\| `([\w.]+)` \| (.*) \|$/gm)].map(([, type, data]) => {
    const [always, sometimes] = data!.split(";").map((text) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    return [type!, { always: always!, sometimes: sometimes ?? [] }];
  }),
);
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);

interface Told {
  accountId: bigint;
  endpoint: Endpoint;
  event: string;
  data: object;
}
/** Waits for what is posted, and returns its notice's id. */
async function posted({ context: { db } }: Gateway, { accountId, endpoint, event, data }: Told): Promise<string> {
  await until(() => typesAt(endpoint).includes(event), `${event} is posted`);
  const hook = server.at(endpoint.path).find(({ body }) => JSON.parse(body).type === event)!;
  const body = verified(hook, endpoint.secret);
  const { rows } = await db.pool.query<{ user_id: string }>("select user_id from account where id = $1", [accountId]);
  expect(body).toEqual({ type: event, timestamp: moment, workspace_id: workspaceIdText(rows[0]!.user_id), data });
  const { always, sometimes } = documented.get(event)!;
  expect(Object.keys(body.data).filter((name) => !sometimes.includes(name))).toHaveLength(always.length);
  expect(Object.keys(body.data)).toEqual(expect.arrayContaining(always));
  return hook.headers["webhook-id"]!;
}

test("the guide names every event of the contract, and no other but the test", () => {
  expect([...documented.keys()].sort()).toEqual([...workspaceEvents, ...personEvents, "webhook.test"].sort());
});

describe("a workspace's event is posted, and mailed to the roles that are told", () => {
  const name = "<b>24</b> & co's";
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const keyOf = async ({ owner, workspace }: Team, more: object): Promise<string> =>
    (await gateway.ask(owner, "POST", "/v1/auth/keys", { in: workspace, body: { name, ...more } })).json.id;
  const topUp = async ({ owner, workspace }: Team) => {
    const { json } = await gateway.ask(owner, "POST", "/v1/credits/topup", { in: workspace, body: { amount_usd: 20 } });
    return { id: json.id as string, session: stripe.sessions.get(json.id)! };
  };
  const send = async ({ body, signature }: SignedEvent) => {
    const headers = { "stripe-signature": signature };
    expect((await gateway.request("POST", "/v1/credits/webhooks/stripe", { body, headers })).status).toBe(200);
  };
  const budgetReached = async (team: Team, limits: object, period: Date | null) => {
    const key_id = await keyOf(team, { limit_usd: 10, ...limits });
    await spend(gateway, team.accountId, "8.5", period);
    await look(gateway);
    const ends = period === null ? null : moment;
    return { key_id, key_name: name, percent: 80, spent_usd: 8.5, limit_usd: 10, period_ends: ends };
  };

  type Cause = (team: Team) => Promise<object>;
  const [paying, managing] = [
    ["owner", "billing"],
    ["owner", "admin"],
  ] as const;
  const causes: [event: string, which: string, told: readonly ("owner" | "admin" | "billing")[], says: string, cause: Cause][] = [
    [
      ...(["balance.low", "after a charge", paying, "has 4.75 USD of credit left, which is less than 5.00 USD"] as const),
      async ({ accountId }) => {
        await post(gateway, accountId, "6");
        await look(gateway);
        await post(gateway, accountId, "-1.25", "adjustment");
        await look(gateway);
        return { balance_usd: 4.75, threshold_usd: 5 };
      },
    ],
    ["key.budget_reached", "for life", managing, "has spent 8.50 USD of 10.00 USD", (team) => budgetReached(team, {}, null)],
    [
      ...(["key.budget_reached", "of a period", managing, "are refused until it resets, at "] as const),
      (team) => budgetReached(team, { limit_resets: "daily" }, new Date(inHours(24))),
    ],
    [
      ...(["member.budget_reached", "for life", managing, "have together spent 8.50 USD of 10.00 USD"] as const),
      async (team) => {
        const { owner, admin, workspace, accountId } = team;
        await gateway.ask(admin, "POST", "/v1/auth/keys", { in: workspace, body: { name } });
        await gateway.ask(owner, "PATCH", `/v1/workspace/members/${admin.userId}`, { in: workspace, body: { limit_usd: 10 } });
        await spend(gateway, accountId, "8.5");
        await look(gateway);
        return { member_id: admin.userId, percent: 80, spent_usd: 8.5, limit_usd: 10, period_ends: null };
      },
    ],
    [
      ...(["key.expiring", "in a week", managing, `The key "${name}"`] as const),
      async (team) => {
        const key_id = await keyOf(team, { expires_at: inHours(6 * 24) });
        const sql = "update api_key set created_at = now() - interval '20 days' where account_id = $1";
        await gateway.context.db.pool.query(sql, [team.accountId]);
        await look(gateway);
        return { key_id, key_name: name, expires_at: moment };
      },
    ],
    [
      ...(["payment.failed", "of a checkout", paying, "The payment of 20.00 USD"] as const),
      async (team) => {
        const { id, session } = await topUp(team);
        await send(stripe.event("checkout.session.async_payment_failed", session));
        return { topup_id: id, amount_usd: 20 };
      },
    ],
    [
      ...(["payment.disputed", "in part", paying, "The bank disputes 5.00 USD of the payment of 20.00 USD"] as const),
      async (team) => {
        const { id, session } = await topUp(team);
        await send(stripe.event("checkout.session.completed", session, { change: { payment_status: "paid" } }));
        const about = { object: "dispute", id: `dp_${id}`, charge: `ch_${id}`, payment_intent: session.payment_intent };
        const dispute = { ...about, metadata: {}, currency: "usd", amount: 500, status: "needs_response" };
        await send(stripe.eventOf("charge.dispute.created", dispute));
        return { topup_id: id, amount_usd: 20, disputed_usd: 5 };
      },
    ],
    [
      ...(["webhook.disabled", "that is gone", managing, "so nothing more is sent there"] as const),
      async ({ owner, workspace }) => {
        const gone = await endpointOf((body) => gateway.ask(owner, "POST", root, { in: workspace, body }));
        server.answers.set(gone.path, (response) => void response.writeHead(410).end());
        expect((await gateway.ask(owner, "POST", `${root}/${gone.id}/test`, { in: workspace })).status).toBe(200);
        return { endpoint_id: gone.id, url: server.url(gone.path), failing_since: moment };
      },
    ],
  ];

  test("all of them", () => {
    expect([...new Set(causes.map(([event]) => event))].sort()).toEqual([...workspaceEvents].sort());
  });

  test.each(causes)("%s %s", async (event, _which, told, says, cause) => {
    const team = await gateway.team();
    const { workspace, accountId, owner } = team;
    const endpoint = await endpointOf((body) => gateway.ask(owner, "POST", root, { in: workspace, body }));
    const data = await cause(team);
    const id = await posted(gateway, { accountId, endpoint, event, data });
    await atRest(gateway);
    const mailsTo = (role: "owner" | "admin" | "developer" | "billing" | "viewer"): Mail[] =>
      gateway.mails.filter(({ to }) => to === team[role].email);
    const counts = Object.fromEntries(
      (["owner", "admin", "developer", "billing", "viewer"] as const).map((role) => [role, mailsTo(role).length]),
    );
    const none = { owner: 0, admin: 0, developer: 0, billing: 0, viewer: 0 };
    expect(counts).toEqual({ ...none, ...Object.fromEntries(told.map((role) => [role, 1])) });
    for (const role of told) expect(mailsTo(role)[0]!.text).toContain(says);
    const { json } = await gateway.ask(owner, "GET", "/v1/workspace/notices/log", { in: workspace });
    const delivered = (number: number) => ({ delivered: number, waiting: 0, failed: 0 });
    expect(json.data).toMatchObject([{ id, event, data, mails: delivered(2), webhooks: delivered(1) }]);
  });
});

describe("a person's event is posted to the own workspace, and mailed to the person", () => {
  const signIn = (person: Person, code?: string) =>
    people.post("/v1/auth/signin", { email: person.email, password, ...(code !== undefined && { code }) }, "203.0.113.9");
  const now = () => people.context.clock().toISOString();
  type Cause = (person: Person & { codes: string[] }) => Promise<object>;
  const causes: [event: string, subject: string, says: string, cause: Cause][] = [
    [
      ...(["sign_in.new_place", "A sign-in from a new place", "from 203.0.113.9, a network not used in the last 30 days"] as const),
      async (person) => {
        expect((await signIn(person, person.codes[0])).status).toBe(200);
        return { network: expect.stringContaining("203.0.113.9"), signed_in_at: now() };
      },
    ],
    [
      ...(["recovery_code.used", "A recovery code was used", "9 are left"] as const),
      async (person) => {
        expect((await signIn(person, person.codes[0])).status).toBe(200);
        return { used_at: now(), left: 9 };
      },
    ],
    [
      ...(["totp.ended", "The second factor was turned off", "The second factor of your account was turned off at "] as const),
      async ({ token }) => {
        expect((await people.request("DELETE", "/v1/auth/totp", { key: token })).status).toBe(204);
        return { ended_at: now() };
      },
    ],
  ];

  test("all of them", () => {
    expect(causes.map(([event]) => event).sort()).toEqual([...personEvents].sort());
  });

  test.each(causes)("%s: %s", async (event, subject, says, cause) => {
    const person = await guardedPerson(people);
    const endpoint = await endpointOf((body) => people.request("POST", root, { key: person.token, body }));
    const data = await cause(person);
    await posted(people, { accountId: person.id, endpoint, event, data });
    await atRest(people);
    const mails = people.mails.filter(({ to, text }) => to === person.email && text.includes(says));
    expect(mails.map((mail) => mail.subject)).toEqual([subject]);
  });
});

test("what is for one person alone is posted to no workspace that others see, even where its endpoint asks for it, but to the own one", async () => {
  const { workspace, accountId, owner, admin } = await gateway.team();
  const shared = await Promise.all(
    [{}, { events: ["sign_in.new_place", "payment.failed"] }].map((more) =>
      endpointOf((body) => gateway.ask(owner, "POST", root, { in: workspace, body }), more),
    ),
  );
  const own = await endpointOf((body) => gateway.ask(admin, "POST", root, { body }));
  const [{ db, clock }, personId] = [gateway.context, admin.accountId];
  const data = { network: "203.0.113.9", signed_in_at: clock().toISOString() };
  for (const id of [accountId, personId])
    await writeNotice(db, { accountId: id, event: "sign_in.new_place", cause: "a test", data, personId, at: clock() });
  const ofAll = { topup_id: "top_1", amount_usd: 5 };
  await writeNotice(db, { accountId, event: "payment.failed", cause: "a test", data: ofAll, at: clock() });
  await posted(gateway, { accountId: personId, endpoint: own, event: "sign_in.new_place", data });
  for (const endpoint of shared) await posted(gateway, { accountId, endpoint, event: "payment.failed", data: ofAll });
  await atRest(gateway);
  expect([...shared, own].map(typesAt)).toEqual([["payment.failed"], ["payment.failed"], ["sign_in.new_place"]]);
  const subjects = ({ email }: { email: string }) => gateway.mails.filter(({ to }) => to === email).map(({ subject }) => subject);
  expect(subjects(admin)).toEqual(Array(2).fill("A sign-in from a new place"));
  expect(subjects(owner)).toEqual(["A payment failed"]);
});
