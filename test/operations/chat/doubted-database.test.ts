// While a gateway distrusts its clock or its database, nothing that takes money begins: every kind of call is refused before a provider is asked.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../support/eventually.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { paid, startTopupGateway, type TopupGateway } from "../credits/topup-gateway.ts";

let gateway: TopupGateway;
let account: TestAccount;
let image: string;
beforeAll(async () => {
  gateway = await startTopupGateway();
  account = await gateway.createAccount({ deposit: "10" });
  image = gateway.context.catalog.listed.find(({ type }) => type === "image")!.id;
});
afterAll(() => gateway.stop());

/** A database that lacks minutes of what it had confirmed, as after a restore; then it has them again. */
async function whileDoubted(work: () => Promise<void>): Promise<void> {
  const { checks, pool } = gateway.context.db;
  const shift = (by: number) => pool.query("update commit_proof set count = count + $1", [by]);
  await shift(-1_000);
  await until(() => checks.refusal !== null, "it is doubted");
  await work();
  await shift(1_000);
  await until(() => checks.refusal === null, "it is doubted no more");
}

const hello = [{ role: "user", content: "Hello" }];
const calls: [string, string, () => object][] = [
  ["chat", "/v1/chat/completions", () => ({ model: "best", messages: hello })],
  ["a streamed chat", "/v1/chat/completions", () => ({ model: "best", messages: hello, stream: true })],
  ["messages", "/v1/messages", () => ({ model: "best", max_tokens: 9, messages: hello })],
  ["speech", "/v1/audio/speech", () => ({ input: "Hello" })],
  ["an image", "/v1/images/generations", () => ({ model: image, prompt: "a boat" })],
];

describe("503 overloaded, nothing is held, no provider is asked", () => {
  test("each kind of call", async () => {
    const ask = ([, path, body]: (typeof calls)[number]) => gateway.request("POST", path, { key: account.key, body: body() });
    await whileDoubted(async () => {
      gateway.simulator.reset();
      for (const call of calls) {
        const { status, json } = await ask(call);
        expect([call[0], status, json.error.code]).toEqual([call[0], 503, "overloaded"]);
      }
      expect(gateway.simulator.calls()).toEqual([]);
      expect(await gateway.balance(account)).toEqual({ balance: 10, reserved: 0, spent: 0 });
    });
    for (const call of calls) expect([call[0], (await ask(call)).status]).toEqual([call[0], call[0] === "an image" ? 202 : 200]);
  });

  test("a payment event: its provider sends it again, and it credits once", async () => {
    const opened = await gateway.opened();
    const event = gateway.stripe.event("checkout.session.completed", opened.session, paid);
    await whileDoubted(async () => expect((await gateway.send(event)).status).toBe(503));
    expect(await gateway.balance(opened.who)).toMatchObject({ balance: 0 });
    for (let times = 0; times < 2; times++) expect((await gateway.send(event)).status).toBe(200);
    expect(await gateway.balance(opened.who)).toMatchObject({ balance: 20 });
  });
});
