// Why upstreams fail, as an operator finds it: in the attempts of the usage log, in the gateway's log and in /metrics. Callers get the same
// answer whatever the cause, without any of these words.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSvc } from "../../cli/run-svc.ts";
import { connect, type Db } from "../../../src/db/connect.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { spawnGateway, type SpawnedGateway } from "../../support/spawned-gateway.ts";
import { scrapeUntil } from "../../telemetry/scrape.ts";
import { hello, language } from "./chat-gateway.ts";

const secret = "sk-operators-own-secret-77";
const tlsFile = (name: string) => fileURLToPath(new URL(`../../providers/tls/${name}.pem`, import.meta.url));
const servers: Server[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}
const web = async (serve: RequestListener) => `http://127.0.0.1:${await listen(createServer(serve))}`;
const secured = async (name: string) => {
  const keys = { key: readFileSync(tlsFile(`${name}-key`)), cert: readFileSync(tlsFile(name)) };
  return `https://127.0.0.1:${await listen(createTlsServer(keys, (_request, response) => response.end("{}")))}`;
};
const answering = (status: number, body: string) =>
  web((_request, response) => response.writeHead(status, { "content-type": "application/json" }).end(body));
const sentence = (message: string) => JSON.stringify({ error: { message } });

/** Each fault with its cause, and the sentence logged with it. */
const cases = {
  refused: [async () => `http://127.0.0.1:${await freePort()}`, "connection_refused", /ECONNREFUSED/],
  dns: [() => "http://no-such-host.invalid", "dns", /no-such-host\.invalid/],
  expired: [() => secured("expired"), "tls_expired", /expired/],
  "self-signed": [() => secured("self-signed"), "tls_self_signed", /self-signed/],
  hostname: [async () => (await secured("other-name")).replace("127.0.0.1", "localhost"), "tls_hostname", /elsewhere\.test/],
  "plain-text": [async () => (await web((_, response) => response.end())).replace("http:", "https:"), "tls_failed", /secure connection/],
  silent: [() => web(() => undefined), "timeout_first_byte", /300 ms/],
  reset: [() => web(({ socket }) => socket.resetAndDestroy()), "connection_reset", /ECONNRESET/],
  key: [() => answering(401, sentence(`Key ${secret} was revoked on Friday`)), "http_401", /was revoked on Friday/],
  limited: [() => answering(429, sentence("60 requests a minute on the free plan")), "http_429", /60 requests a minute/],
  down: [() => answering(502, "<html><title>Bad gateway at the edge</title></html>"), "http_502", /Bad gateway at the edge/],
  teapot: [() => answering(418, sentence("I am a teapot")), "http_4xx", /I am a teapot/],
  gone: [() => answering(404, sentence("The model was retired")), "http_404", /The model was retired/],
  unreadable: [() => answering(200, "not json"), "unreadable", /not JSON/],
  inside: [() => answering(200, sentence("the backend is on fire")), "error_in_answer", /the backend is on fire/],
} as const satisfies Record<string, readonly [() => string | Promise<string>, string, RegExp]>;
type Case = keyof typeof cases;
const names = Object.keys(cases) as Case[];

const folder = mkdtempSync(join(tmpdir(), "svc-causes-"));
let database: TestDatabase;
let db: Db;
let gateway: SpawnedGateway;
let key: string;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 2 });
  const providers: { id: string; [key: string]: unknown }[] = await Promise.all(
    names.map(async (id) => ({
      id,
      protocol: "openai",
      base_url: `${await cases[id][0]()}/v1`,
      api_key_env: "UPSTREAM_KEY",
      timeout_ms: id === "silent" ? 300 : 30_000,
    })),
  );
  const others: Record<string, string> = {
    served: await answering(
      200,
      JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] }),
    ),
    rejected: await answering(400, sentence("I don't like 'Hello'")),
    broken: await web((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}\n\n', () =>
        setTimeout(() => response.socket!.resetAndDestroy(), 50),
      );
    }),
    long: await answering(500, sentence("very ".repeat(2_000))),
  };
  for (const [id, url] of Object.entries(others))
    providers.push({ id, protocol: "openai", base_url: `${url}/v1`, api_key_env: "UPSTREAM_KEY", timeout_ms: 30_000 });
  const models = providers.map(({ id }) => id).map((id) => language(`demo/${id}`, [{ provider: id, model: "chat" }]));
  const catalog = join(folder, "catalog.json");
  writeFileSync(catalog, JSON.stringify({ providers, models }));
  const env = { DATABASE_URL: database.url, SVC_CATALOG: catalog, UPSTREAM_KEY: secret, NODE_EXTRA_CA_CERTS: tlsFile("trusted") };
  gateway = await spawnGateway(env);
  const made = await runSvc({ DATABASE_URL: database.url }, [
    "account",
    "create",
    "--email",
    "a@example.com",
    "--verified",
    "--deposit",
    "9",
    "--json",
  ]);
  key = made.json().api_key as string;
});
afterAll(async () => {
  await gateway.kill("SIGTERM");
  for (const server of servers) server.close();
  await db.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

interface Logged {
  outcome: string;
  status: number | null;
  cause?: string;
  detail?: string;
}

async function ask(model: string, more: object = {}): Promise<{ requestId: string; text: string; attempts: Logged[] }> {
  const body = JSON.stringify({ model, messages: hello, ...more });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
  const text = JSON.stringify([...reply.headers]) + (await reply.text());
  const requestId = reply.headers.get("x-request-id")!;
  const { rows } = await db.pool.query<{ attempts: Logged[] }>("select attempts from usage_log where request_id = $1", [requestId]);
  return { requestId, text, attempts: rows[0]!.attempts };
}

const logged = (requestId: string) =>
  gateway
    .output()
    .split("\n")
    .slice(0, -1) // the last may be on its way
    .filter((line) => line.startsWith("{") && line.includes(requestId))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find(({ route }) => route !== undefined);

/** What is logged comes over a pipe of its own. */
const loggedSoon = (requestId: string) =>
  eventually(() => logged(requestId) ?? Promise.reject(new Error(`nothing is logged of ${requestId}`)));

describe.each(names)("a provider that fails: %s", (name) => {
  const [, cause, words] = cases[name];

  test(`is told from all others: ${cause}, with what it said, to the operator alone`, async () => {
    const { requestId, text, attempts } = await ask(`demo/${name}`);
    expect(attempts).toMatchObject([{ cause, detail: expect.stringMatching(words) as string }]);
    expect(await loggedSoon(requestId)).toMatchObject({ route: `${name}/chat`, cause, detail: attempts[0]!.detail });
    await scrapeUntil(gateway, (page) => page.figure("svc_upstream_failures_total", { route: `${name}/chat`, cause }) === 1);
    expect(text).not.toContain(cause);
    expect(text).not.toMatch(words);
    expect(gateway.output() + JSON.stringify(attempts)).not.toContain(secret);
  });
});

test("a served attempt has no cause, and is no failure in /metrics", async () => {
  const { attempts } = await ask("demo/served");
  expect(attempts[0]).toMatchObject({ outcome: "ok", status: 200 });
  expect(attempts[0]).not.toHaveProperty("cause");
  const page = await scrapeUntil(gateway, ({ figure }) => figure("svc_upstream_attempts_total", { route: "served/chat" }) === 1);
  expect(page.all("svc_upstream_failures_total").filter(({ labels }) => labels.route === "served/chat")).toEqual([]);
});

test("a request that the provider rejects: its sentence is in the usage log, and not in the gateway's log, since it may quote a prompt", async () => {
  const { requestId, attempts } = await ask("demo/rejected");
  expect(attempts).toMatchObject([{ outcome: "rejected", status: 400, cause: "http_400", detail: "I don't like 'Hello'" }]);
  expect(logged(requestId)).toBeUndefined();
  expect(gateway.output()).not.toContain("I don't like");
});

test("an interrupted stream shows its cause: in its attempt, the log and /metrics", async () => {
  const { requestId, attempts } = await ask("demo/broken", { stream: true });
  expect(attempts).toMatchObject([{ outcome: "interrupted", status: 200, cause: "connection_reset" }]);
  expect(await loggedSoon(requestId)).toMatchObject({ msg: "a stream was interrupted", cause: "connection_reset" });
  await scrapeUntil(
    gateway,
    ({ figure }) => figure("svc_upstream_failures_total", { route: "broken/chat", cause: "connection_reset" }) === 1,
  );
});

test("a sentence is cut, however long it is", async () => {
  const { attempts } = await ask("demo/long");
  expect(attempts[0]!.cause).toBe("http_500");
  expect(attempts[0]!.detail!.length).toBeLessThanOrEqual(500);
});
