// The anthropic package of Python against /v1/messages, in both versions of the dialect (docs/behaviour/messages.md#versions).
import { describe, expect, test } from "vitest";
import { costIn, costOf, quiet, useClients } from "../clients.ts";
import { anthropic2 } from "./environment.ts";
import { describeWithPython, usePython } from "./python.ts";

describeWithPython("anthropic for Python", () => {
  const clients = useClients();

  describe.each([
    ["1.13.0", {}],
    ["2.12.0", { PYTHONPATH: anthropic2 }],
  ] as const)("%s", (version, environment) => {
    const python = usePython("anthropic_messages", environment);
    const ask = async (scenario: string, args: Record<string, unknown> = {}, options?: Parameters<typeof clients.customer>[0]) => {
      const customer = await clients.customer(options);
      return { customer, ran: await python.run(scenario, { base: clients.gateway.url, key: customer.account.key }, args) };
    };
    const runScenario = async (...asked: Parameters<typeof ask>) => {
      const { customer, ran } = await ask(...asked);
      if (ran.raised) throw new Error(`${ran.raised.class}: ${ran.raised.text}`);
      return { customer, value: ran.value };
    };

    test("is the one that is meant", async () => {
      expect((await runScenario("version")).value).toBe(version);
    });

    test("a message: its text, its usage and the cost that was charged", async () => {
      const { customer, value } = await runScenario("message", { model: "plain/chat" });
      expect(value).toMatchObject({ type: "message", role: "assistant", model: "plain/chat", stop_reason: "end_turn" });
      expect(value.content).toEqual([expect.objectContaining({ type: "text", text: expect.stringContaining("You said:") })]);
      const { input_tokens, output_tokens } = value.usage;
      expect(costIn(value.usage)).toBeCloseTo(costOf({ input: input_tokens, output: output_tokens }), 8);
      expect(await customer.spent()).toBe(costIn(value.usage));
    });

    test("the helper's message is the whole one's, and costs the same", async () => {
      const { value: whole } = await runScenario("message", { model: "plain/chat" });
      const { customer, value } = await runScenario("stream", { model: "plain/chat" });
      expect(value.text).toBe(whole.content[0].text);
      expect(value.final).toMatchObject({ stop_reason: "end_turn", model: "plain/chat" });
      expect(value.final.usage).toMatchObject({ input_tokens: whole.usage.input_tokens, output_tokens: whole.usage.output_tokens });
      expect(await customer.spent()).toBe(whole.usage.cost);
    });

    test("events come in their order", async () => {
      const { value } = await runScenario("events", { model: "plain/chat" });
      expect(value[0]).toBe("message_start");
      expect(value.filter((type: string) => type !== "content_block_delta" && type !== "ping")).toEqual([
        "message_start",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ]);
    });

    test("thinking is a block of its own before the text, whole and streamed", async () => {
      const thinking = { type: "enabled", budget_tokens: 100 };
      const { value: whole } = await runScenario("message", { model: "think/plain", thinking });
      const { value } = await runScenario("stream", { model: "think/plain", thinking });
      expect(whole.content.map(({ type }: { type: string }) => type)).toEqual(["thinking", "text"]);
      expect(value.final.content.map(({ type }: { type: string }) => type)).toEqual(["thinking", "text"]);
      expect(value.final.content[0].thinking).toBe(whole.content[0].thinking);
    });

    test.each([false, true])("a loop of tools comes to its end, streamed: %s", async (streamed) => {
      const { value } = await runScenario("tool_loop", { model: "tools/whole-calls", streamed });
      expect(value.names).toEqual(["get_weather", "get_time"]);
      expect(value.text).toContain("You said:");
    });

    test("parse gives a pydantic model", async () => {
      const { value } = await runScenario("parse", { model: "plain/chat" });
      const review = { title: expect.any(String), stars: expect.any(Number), tags: expect.any(Array) };
      expect(value).toEqual({ type: "Review", value: review });
    });

    test("count_tokens counts and costs nothing", async () => {
      const { customer, value } = await runScenario("count", { model: "plain/chat" });
      expect(value).toEqual({ input_tokens: expect.any(Number) });
      expect(await customer.spent()).toBe(0);
    });

    test("the request id is where this family reads it, and the models are listed", async () => {
      const { value } = await runScenario("raw", { model: "best" });
      expect(value.own).toMatch(/^req_/);
      expect(value.headers).toMatchObject({ "request-id": value.own, "x-request-id": value.own, "x-svc-model": "plain/chat" });
      const { value: models } = await runScenario("models");
      expect(models.map(({ id }: { id: string }) => id)).toContain("plain/chat");
    });

    test.each([
      ["BadRequestError", 400, "invalid_request_error", "request_rejected", { model: "fail/rejects-400" }],
      ["NotFoundError", 404, "not_found_error", "model_not_found", { model: "plain/chatt" }],
      ["PermissionDeniedError", 403, "permission_error", "route_refused", { model: "fail/refuses" }],
    ])("%s %i %s %s: one attempt, a request id, no charge", async (name, status, type, code, args) => {
      for (const scenario of ["message", "events"]) {
        const { customer, ran } = await ask(scenario, args);
        expect(ran.raised).toMatchObject({ class: name, status_code: status, request_id: expect.stringMatching(/^req_/) });
        expect(ran.raised!.body).toMatchObject({ type: "error", error: { type, code }, request_id: ran.raised!.request_id });
        expect(ran).toMatchObject({ statuses: [status], slept: [] });
        expect(await customer.spent()).toBe(0);
      }
    });

    test("401 and 402", async () => {
      const wrong = await python.run("message", { base: clients.gateway.url, key: "svc_wrong" }, { model: "plain/chat" });
      expect(wrong.raised).toMatchObject({ class: "AuthenticationError", status_code: 401 });
      const { ran } = await ask("message", { model: "plain/chat" }, { deposit: "0.000001" });
      expect(ran.raised).toMatchObject({ status_code: 402, body: { error: { type: "billing_error", code: "insufficient_credits" } } });
      expect(ran.statuses).toEqual([402]);
    });

    test("retryable 503: tried again after Retry-After", async () => {
      const { ran } = await ask("message", { model: "fail/down" });
      expect(ran.statuses).toEqual([503, 503, 503]);
      expect(ran.slept).toEqual([5, 5]);
    });

    test.each(["broken/error-record", "broken/cut"])("%s: an error with its code after the text so far, no charge", async (model) => {
      const { customer, value } = await runScenario("interrupted", { model });
      expect(value.text).not.toBe("");
      expect(value.body).toMatchObject({ type: "error", error: { code: "stream_interrupted" } });
      expect(await customer.spent()).toBe(0);
    });

    test("a program that closes the stream pays for what was delivered", async () => {
      clients.gateway.simulator.reset();
      const { customer } = await runScenario("leave", { model: "plain/unhurried", after: 20 });
      await quiet(clients.gateway);
      expect(clients.gateway.simulator.counters()).toMatchObject({ aborted: 1 });
      const spent = await customer.spent();
      expect(spent).toBeGreaterThanOrEqual(costOf({ input: 1, output: 19 }));
      expect(spent).toBeLessThan(costOf({ input: 100, output: 390 }));
    });
  });
});
