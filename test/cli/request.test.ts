// `svc request show`: one call as its operator sees it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { language, provider } from "../operations/chat/chat-gateway.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { callSvc } from "./run-svc.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  const providers = ["north", "south"].map((id) => provider(id));
  const models = [language("demo/chat", ["chat+sim-401", "chat"]), language("demo/down", ["chat+sim-fail-503"])];
  gateway = await startGateway({ catalog: JSON.stringify({ providers, models }) });
  account = await gateway.createAccount({ deposit: "20" });
});
afterAll(() => gateway.stop());

const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);
const ask = (who: TestAccount, model: string, id?: string) =>
  gateway.request("POST", "/v1/chat/completions", {
    key: who.key,
    body: { model, messages: [{ role: "user", content: "Hello" }] },
    headers: id === undefined ? {} : { "x-request-id": id },
  });

test("shows the receipt, whose call it was, and each attempt with its provider, cause and what was said", async () => {
  const reply = await ask(account, "demo/chat");
  const id = reply.headers["x-request-id"]!;
  const receipt = await gateway.request("GET", `/v1/usage/${id}`, { key: account.key });
  const shown = (await svc("request", "show", id, "--json")).json();
  const { attempts, account_id, email, ...rest } = shown;
  const { attempts: shownToCaller, ...receiptRest } = receipt.json as Record<string, unknown> & { attempts: object[] };
  expect(rest).toEqual(receiptRest);
  expect({ account_id, email }).toEqual({ account_id: account.id, email: account.email });
  expect(attempts).toEqual([
    {
      ...{
        provider: "north",
        route: "north/chat+sim-401",
        model: "demo/chat",
        outcome: "our_fault",
        status: 401,
        latency_ms: expect.any(Number),
      },
      ...{ response_id: null, cause: "http_401", detail: expect.stringMatching(/\w/), cost: null },
    },
    { provider: "south", route: "south/chat", ...shownToCaller[1], response_id: reply.json.id, cause: null, detail: null, cost: null },
  ]);
  const { stdout } = await svc("request", "show", id);
  expect(stdout).toContain(`north/chat+sim-401: our_fault, http_401`);
  expect(stdout).toContain(account.email);
  expect(stdout).toMatch(/led_\d+ usage -0\.\d+/);
});

test("a call that failed: its error, its causes, nothing charged", async () => {
  const id = (await ask(account, "demo/down")).headers["x-request-id"]!;
  expect((await svc("request", "show", id, "--json")).json()).toMatchObject({
    log: { status: "failed", error: { code: "provider_unavailable" }, cost_usd: 0 },
    attempts: [{ cause: "http_503" }],
    ledger: [],
  });
});

test("of several accounts that sent the same id it shows the newest, or that of the account that is named", async () => {
  const other = await gateway.createAccount({ deposit: "20" });
  const id = "shared-id-of-two";
  await ask(account, "demo/chat", id);
  await ask(other, "demo/chat", id);
  expect((await svc("request", "show", id, "--json")).json().account_id).toBe(other.id);
  expect((await svc("request", "show", id, "--account", account.email, "--json")).json().account_id).toBe(account.id);
});

test("an id that was never logged is refused with 1, in a sentence that says what is logged", async () => {
  const ran = await svc("request", "show", "req_unknown", "--json");
  expect(ran).toMatchObject({ status: 1, stdout: "" });
  expect(ran.stderr).toContain("no such request: req_unknown");
});
