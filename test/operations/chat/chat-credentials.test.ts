// A provider with several credentials: which of them its host gets, what follows when the host refuses one, and what operators see of it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runSvc } from "../../cli/run-svc.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { language } from "./chat-gateway.ts";

const secrets = { KEY_A: "sk-first-secret-0123456789a", KEY_B: "sk-second-secret-0123456789b", KEY_C: "sk-third-secret-0123456789c" };
const idOf = (secret: unknown) =>
  ({ [secrets.KEY_A]: "a", [secrets.KEY_B]: "b", [secrets.KEY_C]: "c" })[String(secret).replace("Bearer ", "")];

type Answer = [status: number, body: object, headers?: Record<string, string>];
/** By credential; those that are left out serve. */
let answers: Record<string, Answer> = {};
let asked: { id: string | undefined; headers: IncomingMessage["headers"]; url: string }[] = [];

const served = {
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
};
const refusal = (status: number, message: string, headers: Record<string, string> = {}): Answer => [
  status,
  { error: { message, type: "error", code: null } },
  headers,
];

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { headers, url = "" } = request;
  const id = idOf(headers["authorization"] ?? headers["api-key"] ?? headers["x-api-key"]);
  asked.push({ id, headers, url });
  const [status, body, more] = answers[id ?? ""] ?? [200, served];
  request.resume().on("end", () => response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body)));
}

const host = createServer(answer);
const credentials = [
  { id: "a", api_key_env: "KEY_A", weight: 2 },
  { id: "b", api_key_env: "KEY_B" },
];
let gateway: Gateway;
let catalog: string;
const logLines: string[] = [];
/** Rests last longer than a test: each has a provider of its own. */
const names = ["weights", "refused", "limited", "all", "rejected", "hidden", "unset", "stream", "figures", "azure"] as const;

beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const list = (id: string) => (id === "unset" ? [...credentials, { id: "d", api_key_env: "KEY_D" }] : credentials);
  catalog = JSON.stringify({
    providers: names.map((id) => ({
      id,
      ...(id === "azure" ? { protocol: "azure-openai", base_url: address } : { protocol: "openai", base_url: `${address}/v1` }),
      credentials: list(id),
    })),
    models: names.map((id) => language(`demo/${id}`, [{ provider: id, model: "m" }])),
  });
  gateway = await startGateway({ catalog, env: secrets, logLines });
});
beforeEach(() => {
  answers = {};
  asked = [];
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  host.close();
  expect(audited).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
});

const chat = (account: TestAccount, name: (typeof names)[number], more: object = {}): Promise<TestReply> =>
  gateway.request("POST", "/v1/chat/completions", {
    key: account.key,
    body: { model: `demo/${name}`, messages: [{ role: "user", content: "Hello" }], ...more },
  });
const account = () => gateway.createAccount({ deposit: "20" });
async function attemptsOf(reply: TestReply): Promise<any[]> {
  const { rows } = await gateway.context.db.pool.query("select attempts from usage_log where request_id = $1", [
    reply.headers["x-request-id"],
  ]);
  return (rows[0] as { attempts: any[] }).attempts;
}
const ids = () => asked.map(({ id }) => id).join("");

test("requests are spread by weight", async () => {
  const one = await account();
  for (let turn = 0; turn < 6; turn++) expect((await chat(one, "weights")).status).toBe(200);
  expect(ids()).toBe("abaaba");
  const [attempt, ...more] = await attemptsOf(await chat(one, "weights"));
  expect(more).toEqual([]);
  expect(attempt).toMatchObject({ outcome: "ok", credential: "a" });
  expect(attempt).not.toHaveProperty("refused");
});

test("one that is refused: another serves the same call at once, which is no failure of the route, and it rests", async () => {
  answers = { a: refusal(401, `Incorrect API key provided: ${secrets.KEY_A}`) };
  const one = await account();
  const reply = await chat(one, "refused");
  expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, undefined]);
  expect(ids()).toBe("ab");
  const attempts = await attemptsOf(reply);
  expect(attempts).toMatchObject([
    {
      ...{ route: "refused/m", outcome: "ok", status: 200, credential: "b" },
      refused: [{ credential: "a", outcome: "our_fault", status: 401, cause: "http_401" }],
    },
  ]);
  expect(attempts).toHaveLength(1);
  await chat(one, "refused");
  expect(ids()).toBe("abb");
  expect(JSON.stringify(attempts) + logLines.join("")).not.toContain(secrets.KEY_A);
});

test("one that is rate-limited rests as its host asks, and many calls at once all are served by the other", async () => {
  answers = { a: refusal(429, "Slow down.", { "retry-after": "60" }) };
  const one = await account();
  const replies = await Promise.all(Array.from({ length: 6 }, () => chat(one, "limited")));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  answers = {};
  asked = [];
  await chat(one, "limited");
  await chat(one, "limited");
  expect(ids()).toBe("bb");
});

test("503 provider_unavailable once all are refused, each asked once; while all rest, each call asks one", async () => {
  answers = { a: refusal(429, "Slow down.", { "retry-after": "200" }), b: refusal(429, "Slow down.", { "retry-after": "100" }) };
  const one = await account();
  const reply = await chat(one, "all");
  expect([reply.status, reply.json.error.code]).toEqual([503, "provider_unavailable"]);
  expect(ids()).toBe("ab");
  expect(await attemptsOf(reply)).toMatchObject([
    { outcome: "rate_limited", credential: "b", cause: "http_429", refused: [{ credential: "a", outcome: "rate_limited" }] },
  ]);
  await chat(one, "all");
  expect(ids()).toBe("abb");
  answers = {};
  expect((await chat(one, "all")).status).toBe(200);
  expect(await gateway.balance(one)).toMatchObject({ reserved: 0 });
});

test("a request that is rejected is not sent again", async () => {
  answers = { a: refusal(400, "Unknown field"), b: refusal(400, "Unknown field") };
  const reply = await chat(await account(), "rejected");
  expect([reply.status, reply.json.error.code]).toEqual([400, "request_rejected"]);
  expect(ids()).toBe("a");
});

test("a secret that the host repeats is hidden, also another credential's", async () => {
  answers = { a: refusal(400, `Not with ${secrets.KEY_A} nor ${secrets.KEY_B}.`) };
  const reply = await chat(await account(), "hidden");
  expect(reply.status).toBe(400);
  expect(reply.text + logLines.join("")).not.toMatch(/secret-0123456789/);
});

test("one whose variable is not set is left out", async () => {
  const one = await account();
  await chat(one, "unset");
  await chat(one, "unset");
  await chat(one, "unset");
  expect(ids()).toBe("aba");
});

test("a stream, too", async () => {
  answers = { a: refusal(403, "Key disabled.") };
  const reply = await chat(await account(), "stream", { stream: true });
  expect(reply.status).toBe(200);
  expect(reply.text).toContain("Hi.");
  expect(ids()).toBe("ab");
});

test("over Azure's protocol as its own header, one rotation for all deployments", async () => {
  const one = await account();
  for (let turn = 0; turn < 3; turn++) expect((await chat(one, "azure")).status).toBe(200);
  expect(asked.map(({ id, url }) => [id, url])).toEqual(["a", "b", "a"].map((id) => [id, "/openai/v1/chat/completions"]));
  expect(asked[0]!.headers).not.toHaveProperty("authorization");
});

describe("operators see", () => {
  test("each credential's calls and refusals: in svc provider list, in /metrics and in the call; never a secret", async () => {
    answers = { a: refusal(401, "No.") };
    const one = await account();
    const reply = await chat(one, "figures");
    await chat(one, "figures");
    const folder = mkdtempSync(join(tmpdir(), "svc-credentials-"));
    const path = join(folder, "catalog.json");
    writeFileSync(path, catalog);
    const svc = (...words: string[]) => runSvc({ DATABASE_URL: gateway.databaseUrl, SVC_CATALOG: path, ...secrets }, words);
    const listed = await svc("provider", "list", "--json");
    const of = (id: string) => (listed.json() as { data: any[] }).data.find((row) => row.id === id);
    expect(of("figures")).toMatchObject({
      ...{ key: "set", health: "ok", attempts: 2, failures: 0 },
      credentials: [
        { id: "a", key: "set", attempts: 1, refused: 1 },
        { id: "b", key: "set", attempts: 2, refused: 0 },
      ],
    });
    expect(of("unset").credentials.at(-1)).toEqual({ id: "d", key: "missing", attempts: 0, refused: 0 });
    const plain = await svc("provider", "list");
    expect(plain.stdout).toMatch(/^figures .*; credentials: a refused 1 of 1, b refused 0 of 2$/m);

    answers = { b: refusal(401, "No.") };
    const tested = await svc("provider", "test", "figures", "--json");
    expect(tested).toMatchObject({ status: 1 });
    expect(tested.json()).toMatchObject({ ok: false, cause: "http_401", credential: "b" });
    expect((await svc("provider", "test", "figures")).stdout).toContain("figures (demo/figures, credential b): http_401");

    const shown = await svc("request", "show", String(reply.headers["x-request-id"]), "--json");
    expect((shown.json() as { attempts: any[] }).attempts).toMatchObject([{ credential: "b", refused: [{ credential: "a" }] }]);
    const { text: metrics } = await gateway.request("GET", "/metrics");
    expect(metrics).toContain('svc_credential_attempts_total{provider="figures",credential="a",outcome="our_fault"} 1');
    expect(metrics).toContain('svc_credential_attempts_total{provider="figures",credential="b",outcome="ok"} 2');
    expect(metrics).not.toContain('svc_upstream_failures_total{route="figures/m"');
    expect(listed.stdout + plain.stdout + tested.stdout + shown.stdout + metrics).not.toMatch(/secret-0123456789/);
    rmSync(folder, { recursive: true });
  });
});
