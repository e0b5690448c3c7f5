// Errors as Python's openai package raises them, how often it retries and after which wait (docs/behaviour/errors.md#retry), and
// streams that the upstream or the caller ends early (docs/behaviour/streams.md#interrupted).
import { describe, expect, test } from "vitest";
import { highTiers } from "../../support/tiers.ts";
import { costOf, quiet, useClients } from "../clients.ts";
import { clientsCatalog } from "../upstreams.ts";
import { describeWithPython, usePython } from "./python.ts";

const interrupted = { class: "APIError", code: "stream_interrupted", type: "upstream_error" };

describeWithPython("openai for Python", () => {
  const clients = useClients();
  const python = usePython("openai_chat");
  const ask = async (scenario: string, args: Record<string, unknown>, options?: Parameters<typeof clients.customer>[0]) => {
    const customer = await clients.customer(options);
    return { customer, ran: await python.run(scenario, { base: clients.gateway.url, key: customer.account.key }, args) };
  };

  describe.each(["chat", "stream"])("%s: not retryable: one attempt, a class, a code, a request id, no charge", (scenario) => {
    test.each([
      ["BadRequestError", 400, "invalid_parameter", { model: "plain/chat", temperature: 9 }],
      ["BadRequestError", 400, "wrong_endpoint", { model: "vectors/small" }],
      ["BadRequestError", 400, "request_rejected", { model: "fail/rejects-400" }],
      ["PermissionDeniedError", 403, "route_refused", { model: "fail/refuses" }],
      ["NotFoundError", 404, "model_not_found", { model: "plain/chatt" }],
      ["APIStatusError", 413, "request_rejected", { model: "fail/rejects-413" }],
      ["UnprocessableEntityError", 422, "request_rejected", { model: "fail/rejects-422" }],
      ["InternalServerError", 503, "model_unavailable", { model: "fail/gone" }],
    ])("%s %i %s", async (name, status, code, args) => {
      const { customer, ran } = await ask(scenario, args);
      expect(ran.raised).toMatchObject({ class: name, status_code: status, code, request_id: expect.stringMatching(/^req_/) });
      expect(ran.raised!.body).toMatchObject({ code, retryable: false, request_id: ran.raised!.request_id });
      expect(ran).toMatchObject({ statuses: [status], slept: [] });
      expect(await customer.spent()).toBe(0);
    });

    test("402 insufficient_credits: the numbers stand in the text, which is all that this client shows of them", async () => {
      const { ran } = await ask(scenario, { model: "plain/chat" }, { deposit: "0.000001" });
      expect(ran.raised).toMatchObject({ class: "APIStatusError", status_code: 402, code: "insufficient_credits" });
      expect(ran.raised!.text).toContain("0.000001");
      expect(ran.statuses).toEqual([402]);
    });

    test("401 invalid_api_key", async () => {
      const ran = await python.run(scenario, { base: clients.gateway.url, key: "svc_wrong" }, { model: "plain/chat" });
      expect(ran.raised).toMatchObject({ class: "AuthenticationError", status_code: 401, code: "invalid_api_key" });
      expect(ran.statuses).toEqual([401]);
    });
  });

  test("retryable 502: two more attempts after the client's own short waits", async () => {
    const { customer, ran } = await ask("chat", { model: "fail/unreadable" });
    expect(ran.raised).toMatchObject({ class: "InternalServerError", code: "upstream_invalid_response" });
    expect(ran.statuses).toEqual([502, 502, 502]);
    for (const wait of ran.slept) expect(wait).toBeLessThanOrEqual(8);
    expect(await customer.spent()).toBe(0);
  });

  test("503 provider_unavailable: tried again after Retry-After", async () => {
    const { ran } = await ask("chat", { model: "fail/down" });
    expect(ran.statuses).toEqual([503, 503, 503]);
    expect(ran.slept).toEqual([5, 5]);
  });

  test("a fault that passes is not seen, and one answer is charged", async () => {
    const { customer, ran } = await ask("chat", { model: "fail/down-once" });
    expect(ran.statuses).toEqual([502, 200]);
    expect(await customer.spent()).toBe(ran.value.usage.cost);
  });

  test.each(["broken/error-record", "broken/cut", "broken/early-end"])(
    "%s: APIError with its code, after the text so far",
    async (model) => {
      const { customer, ran } = await ask("interrupted", { model });
      expect(ran.value).toMatchObject(interrupted);
      expect(ran.value.body).toMatchObject({ retryable: true, request_id: expect.stringMatching(/^req_/) });
      expect(ran.value.text).not.toBe("");
      expect(ran.statuses).toEqual([200]);
      expect(await customer.spent()).toBe(0);
    },
  );

  test("a program that closes the stream pays for what was delivered, and the upstream is left", async () => {
    clients.gateway.simulator.reset();
    const { customer, ran } = await ask("leave", { model: "plain/unhurried", after: 20 });
    expect(ran.value).toBe(20);
    await expectLeft(await customer.spent());
  });

  test("asyncio: calls at once are answered, and a cancelled task's stream is left and paid so far", async () => {
    clients.gateway.simulator.reset();
    const { customer, ran } = await ask("asynchronous", { model: "plain/unhurried", after: 20 });
    expect(ran.value.texts.map((text: string) => /You said: "(\w+)/.exec(text)?.[1])).toEqual(["one", "two"]);
    expect(ran.value.cancelled).toBe(true);
    await expectLeft(await customer.spent());
  });

  async function expectLeft(spent: number): Promise<void> {
    await quiet(clients.gateway);
    expect(clients.gateway.simulator.counters()).toMatchObject({ aborted: 1 });
    expect(spent).toBeGreaterThanOrEqual(costOf({ input: 1, output: 19 }));
    expect(spent).toBeLessThan(costOf({ input: 100, output: 390 }));
  }
});

describeWithPython("openai for Python, at a limit of one request a minute", () => {
  const catalog = JSON.parse(clientsCatalog) as Record<string, unknown>;
  const clients = useClients(JSON.stringify({ ...catalog, tiers: highTiers({ rpm: 1, per_model_rpm: 1 }) }));
  const python = usePython("openai_chat");

  test("429 is tried again after retry-after-ms, the true time, not after the minute of Retry-After", async () => {
    const { account } = await clients.customer();
    const at = { base: clients.gateway.url, key: account.key };
    let ran = await python.run("chat", at, { model: "plain/chat" });
    // At a minute's edge the second may still pass; waits are only noted, so all that follow meet the same limit.
    for (let n = 0; ran.raised === undefined && n < 3; n += 1) ran = await python.run("chat", at, { model: "plain/chat" });
    expect(ran.raised).toMatchObject({ class: "RateLimitError", code: "rate_limit_exceeded" });
    expect(ran.statuses).toEqual([429, 429, 429]);
    expect(ran.slept).toEqual(ran.told.slice(0, 2).map((wait) => Number(wait) / 1000));
  });
});
