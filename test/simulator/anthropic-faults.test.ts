// The faults that a model id can order, in the Anthropic protocol's envelope and framing.
import { describe, expect, test } from "vitest";
import { useSimulator } from "./simulator-fixture.ts";
import { ask, postMessages, readEvents } from "./anthropic-fixture.ts";

const simulator = useSimulator();

describe("statuses", () => {
  const rows: [string, number, string][] = [
    ["sim-fail-500", 500, "api_error"],
    ["sim-503", 503, "overloaded_error"],
    ["sim-529", 529, "overloaded_error"],
    ["sim-401", 401, "authentication_error"],
    ["sim-402", 402, "billing_error"],
    ["sim-403", 403, "permission_error"],
    ["sim-404", 404, "not_found_error"],
    ["sim-413", 413, "request_too_large"],
    ["sim-429", 429, "rate_limit_error"],
    ["sim-quota", 400, "invalid_request_error"],
    ["sim-refuse", 400, "invalid_request_error"],
    ["sim-reject", 400, "invalid_request_error"],
    ["sim-context", 400, "invalid_request_error"],
    ["sim-nonsense", 400, "invalid_request_error"],
    ["sim-200-error", 200, "api_error"],
  ];
  test.each(rows)("%s: %i %s", async (model, status, type) => {
    const reply = await postMessages(simulator.current, ask(model));
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ type: "error", error: { type, message: expect.any(String) }, request_id: "req_simulator" });
  });

  test("a content refusal says so by its code; a used-up account and a long prompt by their words", async () => {
    const error = async (model: string) => ((await (await postMessages(simulator.current, ask(model))).json()) as any).error;
    expect(await error("sim-refuse")).toMatchObject({ code: "content_filter", details: { error_code: "content_filter" } });
    expect(await error("sim-refuse-403")).toMatchObject({ type: "permission_error", code: "content_policy_violation" });
    expect((await error("sim-quota")).message).toContain("credit balance is too low");
    expect((await error("sim-context")).message).toBe("prompt is too long: 5000 tokens > 4096 maximum");
    expect(await error("sim-context")).not.toHaveProperty("code");
  });

  test("unknown paths: 404 not_found_error", async () => {
    const reply = await postMessages(simulator.current, {}, "/complete");
    expect([reply.status, ((await reply.json()) as any).error.type]).toEqual([404, "not_found_error"]);
  });
});

describe("streams", () => {
  test("cut, end and a missing message_stop", async () => {
    const cut = await readEvents(simulator.current, "m+sim-cut-after-5");
    expect([cut.broke, simulator.current.calls()[0]!.outcome]).toEqual([true, "broken"]);
    const ended = await readEvents(simulator.current, "m+sim-end-after-5");
    expect([ended.broke, ended.names.length, ended.names.includes("message_delta")]).toEqual([false, 5, false]);
    const open = await readEvents(simulator.current, "m+sim-no-done");
    expect(open.names.at(-1)).toBe("message_delta");
  });

  test("an error ends a stream, with nothing after it, and is the first event where a directive asks for it", async () => {
    const { names, events } = await readEvents(simulator.current, "m+sim-error-after-4");
    expect(names.slice(3)).toEqual(["content_block_delta", "error"]);
    expect(events.at(-1)!.data).toMatchObject({ type: "error", error: { type: "api_error" } });
    expect((await readEvents(simulator.current, "sim-200-error")).names).toEqual(["error"]);
    expect((await readEvents(simulator.current, "sim-bad-json")).events[0]!.data).toBeNull();
  });

  test("framing: CRLF, comments, three bytes at a time: the same events", async () => {
    const plain = await readEvents(simulator.current, "m");
    const blocks = (events: { data: any }[]) => events.filter(({ data }) => data.type.startsWith("content_block")).map(({ data }) => data);
    for (const directive of ["sim-crlf", "sim-comments", "sim-split-3"]) {
      const odd = await readEvents(simulator.current, `m+${directive}`);
      expect(odd.names).toEqual(plain.names);
      expect(blocks(odd.events)).toEqual(blocks(plain.events));
    }
    expect((await readEvents(simulator.current, "m+sim-crlf")).text).toContain("event: ping\r\ndata: ");
  });
});
