// Makes the golden database of this version: a gateway whose tables all have rows, dumped by pg_dump while calls, jobs and a batch are under way.
// README.md beside it says how it is run.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { codeOfStep, stepAt } from "../../../src/accounts/totp.ts";
import { readMigrations } from "../../../src/db/migrate.ts";
import { audit } from "../../../src/ledger/audit.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { verifyChain } from "../../../src/ledger/verify.ts";
import { parseUsd } from "../../../src/money.ts";
import { provider } from "../../operations/chat/chat-gateway.ts";
import { createBatch, ended, linesFor } from "../../operations/batches/batch-gateway.ts";
import { newcomersOf } from "../../operations/team/newcomers.ts";
import { type Person, startTeamGateway, type Team, type TeamGateway } from "../../operations/team/team-gateway.ts";
import { startWebhookServer, trusting, type WebhookServer } from "../../operations/team/webhook-server.ts";
import { makeOperator } from "../../support/operators.ts";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../../support/openid-provider.ts";
import { rolledUp } from "../../support/rolled-up.ts";
import { password } from "../../support/sign-in.ts";
import { startStripe, stripeEnv, type StripeServer } from "../../support/stripe-server.ts";

/** Left empty: low balances and spent budgets told of, catalogs applied, months closed, slices of hot accounts, what a given up job cost, late calls. */
const mayBeEmpty = new Set([
  "balance_armed",
  "budget_told",
  "catalog_version",
  "closed_month",
  "escrow",
  "media_expense",
  "member_budget_told",
  "usage_late",
]);

const shipped = readFileSync(resolve(import.meta.dirname, "../../../src/catalog/default.yaml"), "utf8");
/** With what is paused, a host that an operator disables, and models whose calls and videos go on for ever. */
const catalog = `${shipped.replaceAll(/^ +state: \{ paused: true \}\n/gm, "").replace(
  "\nmodels:\n",
  `
  - ${JSON.stringify(provider("idle"))}
models:
  - { id: golden/image, type: image, pricing: { mode: per-image, usd_per_image: 0.04 }, routes: [{ provider: studio, model: pixa/standard, cost: { per_image: 0.02 } }] }
  - { id: golden/hung, type: language, pricing: { mode: per-token, input: 1, output: 1 }, routes: [{ provider: meridian, model: hung+sim-hang }] }
  - { id: golden/kept, type: language, pricing: { mode: per-token, input: 1, output: 1, response_cache: 0.1 }, routes: [{ provider: meridian, model: kept }] }
  - { id: golden/video, type: video, durations: [5], default_duration_s: 5, pricing: { mode: per-second, usd_per_second: 0.1 }, routes: [{ provider: studio, model: tide/video+sim-job-hang }] }
`,
)}`;

interface World {
  gateway: TeamGateway;
  stripe: StripeServer;
  identity: OpenidProvider;
  hooks: WebhookServer;
  rows(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

async function openWorld(): Promise<World> {
  const [stripe, identity, hooks] = await Promise.all([startStripe(), startOpenidProvider(), startWebhookServer()]);
  const gateway = await startTeamGateway({
    catalog,
    env: {
      ...stripeEnv(stripe),
      ...{ SVC_SIGNIN_IDP_ISSUER: identity.issuer, SVC_SIGNIN_IDP_CLIENT_ID: clientId, SVC_SIGNIN_IDP_CLIENT_SECRET: clientSecret },
      ...{ SVC_TRUSTED_PROXIES: "1", SVC_ALLOW_PRIVATE_URLS: "1", SVC_SIGNUP_CREDIT: "1" },
      ...{
        SVC_RESPONSES_SECRET: "a secret of the tests, which is long enough",
        SVC_WEBHOOK_SECRET: "a secret of the tests, which is long enough",
      },
    },
    notices: { everyMs: 50 },
    graceMs: 100, // what hangs would be waited for
    webhooks: trusting,
  });
  const rows: World["rows"] = async (sql, values) => (await gateway.context.db.pool.query<Record<string, unknown>>(sql, values)).rows;
  return { gateway, stripe, identity, hooks, rows };
}

interface Given {
  key?: string;
  in?: string;
  body?: unknown;
  headers?: Record<string, string>;
}
type Ask = (method: string, path: string, given?: Given) => Promise<any>;

const asking =
  ({ gateway }: World): Ask =>
  async (method, path, { key, in: workspace, body, headers = {} } = {}) => {
    const sent = { ...headers, ...(workspace === undefined ? {} : { "x-workspace-id": workspace }) };
    const reply = await gateway.request(method, path, { ...(key && { key }), headers: sent, ...(body === undefined ? {} : { body }) });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return { ...reply.json, request: reply.headers["x-request-id"] };
  };

const hello = [{ role: "user", content: "Hello" }];

/** Calls of every kind; returns what the upgraded gateway is asked for. */
async function call(ask: Ask, { key }: { key: string }) {
  const chat = (model: string, more: object = {}, headers: Record<string, string> = {}) =>
    ask("POST", "/v1/chat/completions", { key, headers, body: { model, messages: hello, max_tokens: 20, ...more } });
  const { request } = await chat("north/chat-small", { metadata: { team: "north" } });
  await chat("north/chat-small", {}, { "idempotency-key": "golden" });
  for (const _ of [1, 2]) await chat("golden/kept", {}, { "x-svc-response-cache": "600" });
  const response = await ask("POST", "/v1/responses", { key, body: { model: "north/chat-small", input: "Hello", store: true } });
  const conversation = await ask("POST", "/v1/conversations", { key, body: { items: [{ type: "message", ...hello[0] }] } });
  await ask("POST", "/v1/images/generations", { key, body: { model: "golden/image", prompt: "a boat" }, headers: { prefer: "wait" } });
  await ask("POST", "/v1/responses/compact", { key, body: { model: "north/chat-small", input: "Hello" } });
  await ask("GET", `/v1/usage/${request}/proof`, { key });
  await ask("POST", "/v1/audio/voice-design", { key, body: { description: "The calm and deep voice of an old sailor" } });
  return { request, response: response.id, conversation: conversation.id };
}

/** What pays: a card, automatic top-ups, a payment, one that was refunded in part, and one that nobody paid. */
async function pay({ gateway, stripe }: World, ask: Ask, { session: key }: Person): Promise<void> {
  const tell = (event: { body: string; signature: string }) =>
    ask("POST", "/v1/credits/webhooks/stripe", { body: event.body, headers: { "stripe-signature": event.signature } });
  const opened = async () => stripe.sessions.get((await ask("POST", "/v1/credits/topup", { key, body: { amount_usd: 20 } })).id)!;
  const [first] = [await opened(), await opened()];
  await tell(stripe.event("checkout.session.completed", first, { change: { payment_status: "paid" } }));
  const { payment_intent, metadata } = first;
  const charge = {
    object: "charge",
    id: `ch_${payment_intent}`,
    payment_intent,
    metadata,
    currency: "usd",
    amount: 2_000,
    amount_refunded: 500,
  };
  await tell(stripe.eventOf("charge.refunded", charge));
  const strange = stripe.eventOf("charge.dispute.created", {
    ...charge,
    id: "dp_strange",
    payment_intent: "pi_strange",
    metadata: {},
    status: "needs_response",
  });
  const { status } = await gateway.request("POST", "/v1/credits/webhooks/stripe", {
    body: strange.body,
    headers: { "stripe-signature": strange.signature },
  });
  expect(status).toBe(409);
  const { url } = await ask("POST", "/v1/credits/auto-topup/card", { key, body: {} });
  const page = [...stripe.cards.pages.values()].find((each) => each.url === url)!;
  await tell(stripe.eventOf("checkout.session.completed", { object: "checkout.session", ...page }));
  const settings = { enabled: true, threshold_usd: 1, amount_usd: 20, monthly_cap_usd: 100, consent_version: "2026-11-26" };
  await ask("PATCH", "/v1/credits/auto-topup", { key, body: settings });
}

/** What an owner sets for a workspace, and a batch of which some lines are done and the others hang. */
async function runTeam({ gateway, hooks }: World, ask: Ask, { owner, developer, viewer, workspace }: Team) {
  const of = { key: owner.session, in: workspace };
  await ask("PATCH", "/v1/workspace", { ...of, body: { response_retention_days: 365 } });
  await ask("POST", "/v1/workspace/invitations", { ...of, body: { email: "invited@example.com", role: "viewer" } });
  await ask("PATCH", `/v1/workspace/members/${developer.userId}`, { ...of, body: { limit_usd: 5, limit_resets: "daily" } });
  await ask("DELETE", `/v1/workspace/members/${viewer.userId}`, of);
  await ask("POST", "/v1/workspace/domains", { ...of, body: { domain: "golden.example" } });
  await ask("PATCH", "/v1/workspace/notices", { ...of, body: { balance_low_usd: 1000 } });
  const { id: webhook } = await ask("POST", "/v1/workspace/webhooks", { ...of, body: { url: hooks.url("/hook") } });
  await ask("POST", `/v1/workspace/webhooks/${webhook}/test`, of);
  const { api_key: key } = await ask("POST", "/v1/auth/keys", {
    ...of,
    body: { name: "golden", limit_usd: 100, limit_resets: "daily", rpm: 1000 },
  });
  const { api_key: second } = await ask("POST", "/v1/auth/keys", { ...of, key: developer.session, body: { name: "second" } });
  const calls = await call(ask, { key });
  await ask("POST", "/v1/chat/completions", { key: second, body: { model: "north/chat-small", messages: hello } });
  const lines = (model: string) => linesFor("/v1/chat/completions", [1, 2].map((n) => ({ model, messages: hello, max_tokens: 20, seed: n }))); // prettier-ignore
  const done = await ended(gateway, { key }, await createBatch(gateway, { key }, "/v1/chat/completions", lines("north/chat-small")));
  const { id: batch } = await createBatch(gateway, { key }, "/v1/chat/completions", lines("golden/hung"));
  const { id: video } = await ask("POST", "/v1/videos/generations", { key, body: { model: "golden/video", prompt: "a boat" } });
  return { key, webhook, ...calls, done: done.id, batch, video };
}

async function operate({ gateway }: World, ask: Ask, person: Person, request: string, redeemer: Person): Promise<string> {
  await makeOperator(gateway, person, "admin");
  const key = person.session;
  const post = (path: string, body: object = {}) => ask("POST", `/v1/operator/${path}`, { key, body: { reason: "golden", ...body } });
  const { vouchers } = await post("vouchers", { amount_usd: 2, count: 2, credit_days: 3000 });
  await ask("POST", "/v1/credits/vouchers/redeem", { key: redeemer.session, body: { code: vouchers[0].code } });
  await post("providers/idle/disable");
  await post(`calls/${request}/refund`);
  await post("ledger/audit");
  return vouchers[1].code as string;
}

async function signUp(world: World, ask: Ask): Promise<void> {
  const { signUp, signInOutside, signIn, post } = newcomersOf(world.gateway, world.identity);
  const session = await signUp("sailor@example.com");
  await signIn("sailor@example.com");
  await signInOutside("outside@example.com");
  await ask("POST", "/v1/auth/signin/idp/start", { body: { redirect_uri: redirectUri } });
  await post("/v1/auth/signup", { email: "unverified@example.com", password });
  await ask("POST", "/v1/auth/totp", { key: session });
  const [row] = await world.rows("select secret from totp");
  await ask("POST", "/v1/auth/totp/confirm", { key: session, body: { code: codeOfStep(row!.secret as Buffer, stepAt(new Date())) } });
}

/** As pg_dump writes it, without what is of the server; what listened here listens at a port where nobody does. */
function dump({ databaseUrl, simulator, url }: TeamGateway, facts: object): string {
  const words = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=200", databaseUrl];
  const lines = execFileSync("/usr/lib/postgresql/15/bin/pg_dump", words, { encoding: "utf8", maxBuffer: 2 ** 26 }).split("\n");
  const kept = lines.filter((line) => line !== "" && !/^(?:--|\\(?:un)?restrict)/.test(line));
  const head = `-- A database as it was with the migrations up to ${readMigrations().at(-1)!.name}, made by make.ts beside it. No secret is in use.`;
  return [head, `-- ${JSON.stringify(facts)}`, ...kept, ""]
    .join("\n")
    .replaceAll(new URL(simulator.url).host, "127.0.0.1:9")
    .replaceAll(new URL(url).host, "127.0.0.1:9");
}

test("it is made", async () => {
  const world = await openWorld();
  const ask = asking(world);
  const team = await world.gateway.team();
  await postEntry(world.gateway.context.db, {
    accountId: team.accountId,
    kind: "deposit",
    amount: parseUsd("50")!,
    ref: "golden",
    at: new Date(),
  });
  const facts = await runTeam(world, ask, team);
  await pay(world, ask, team.owner);
  const voucher = await operate(world, ask, team.admin, facts.request, team.developer);
  await signUp(world, ask);
  await rolledUp(world.gateway.context.db);
  const hung = { key: facts.key, body: { model: "golden/hung", messages: hello, max_tokens: 20 } };
  for (const _ of [1, 2, 3]) void ask("POST", "/v1/chat/completions", hung).catch(() => undefined);

  const empty = async () => {
    const tables = await world.rows(
      "select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition",
    );
    const none = await Promise.all(
      tables.map(async ({ relname }) => ((await world.rows(`select from ${String(relname)} limit 1`)).length === 0 ? [relname] : [])),
    );
    return none
      .flat()
      .filter((name) => !mayBeEmpty.has(name as string))
      .sort();
  };
  await expect.poll(empty, { timeout: 30_000, interval: 1000 }).toEqual([]);
  const { context } = world.gateway;
  const [{ accounts, entries }, { accounts: chained }] = [await audit(context.db), await verifyChain(context.db)];
  const [ids] = await world.rows("select id from api_key where account_id = $1 and name = 'golden'", [team.accountId]);
  const named = { keyId: Number(ids!.id), account: Number(team.accountId), owner: Number(team.owner.accountId), workspace: team.workspace };
  const text = dump(world.gateway, { ...facts, ...named, accounts, chained, entries, voucher });
  writeFileSync(join(import.meta.dirname, `${readMigrations().at(-1)!.name.slice(0, 4)}.sql`), text);
  await world.gateway.stop();
  await Promise.all([world.stripe.close(), world.identity.close(), world.hooks.close()]);
});
