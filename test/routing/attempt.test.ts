// What a failed attempt means for the next step, and all of them for the client (docs/behaviour/providers.md#faults, #routing).
import { describe, expect, test } from "vitest";
import type { Model } from "../../src/catalog/types.ts";
import { ApiError } from "../../src/errors/fail.ts";
import { UpstreamError, type UpstreamFault } from "../../src/providers/errors/upstream-error.ts";
import type { Route } from "../../src/providers/types.ts";
import { attempt, type Attempt } from "../../src/routing/attempt.ts";
import { createBreakers } from "../../src/routing/breaker.ts";
import type { Candidate } from "../../src/routing/candidates.ts";

const candidates = ["a", "b", "c"].map((routeId): Candidate => ({ routeId, layer: 0, model: { id: "m" } as Model, route: {} as Route }));
const idle = new AbortController().signal;

/** Runs with one scripted outcome a candidate; "ok" serves. */
async function run(script: (UpstreamFault | "ok" | { fault: UpstreamFault; status: number })[], breakers = createBreakers()) {
  const attempts: Attempt[] = [];
  const tried: string[] = [];
  const result = attempt(candidates.slice(0, script.length), breakers, idle, attempts, async ({ routeId }) => {
    tried.push(routeId);
    const step = script[candidates.findIndex((candidate) => candidate.routeId === routeId)];
    if (step === "ok") return "served";
    const { fault, status = null } = typeof step === "string" ? { fault: step } : (step as { fault: UpstreamFault; status: number });
    throw new UpstreamError(fault, "the upstream's words", { status });
  });
  const code = await result.then(
    ({ candidate }) => `served by ${candidate.routeId}`,
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
  return { code, tried, attempts };
}

describe("attempts", () => {
  test("a connection that broke under a large body sends the call to the next route, and opens no breaker however often", async () => {
    const breakers = createBreakers();
    const cut = new UpstreamError("unavailable", "the connection failed (ECONNRESET)", { cutUpload: true });
    for (let time = 0; time < 6; time += 1) {
      const attempts: Attempt[] = [];
      const call = ({ routeId }: Candidate) => (routeId === "a" ? Promise.reject(cut) : Promise.resolve("served"));
      expect((await attempt(candidates, breakers, idle, attempts, call)).candidate.routeId).toBe("b");
      expect(attempts.map(({ outcome }) => outcome)).toEqual(["unavailable", "ok"]);
    }
    expect(breakers.failing()).toEqual([]);
  });
  test.each<[UpstreamFault]>([["unavailable"], ["rate_limited"], ["unreadable"], ["our_fault"], ["gone"], ["refused"]])(
    "after %s the next route is tried",
    async (fault) => {
      const { code, tried, attempts } = await run([fault, "ok", "ok"]);
      expect({ code, tried, outcomes: attempts.map(({ outcome }) => outcome) }).toEqual({
        code: "served by b",
        tried: ["a", "b"],
        outcomes: [fault, "ok"],
      });
    },
  );
  test("a rejected parameter goes to the caller at once, no other route would take it", async () => {
    expect(await run([{ fault: "rejected", status: 422 }, "ok"])).toMatchObject({ code: "request_rejected", tried: ["a"] });
  });
  test("work that was taken and has failed is tried nowhere else", async () => {
    expect(await run(["failed", "ok"])).toMatchObject({ code: "provider_unavailable", tried: ["a"] });
    expect(await run(["unavailable", "failed", "ok"])).toMatchObject({ code: "provider_unavailable", tried: ["a", "b"] });
  });
  test("after the third answer that can't be read no further route is asked: each was paid for", async () => {
    const many = ["a", "b", "c", "d", "e"].map((routeId) => ({ ...candidates[0]!, routeId }));
    const ask = async (script: (UpstreamFault | "ok")[]) => {
      const attempts: Attempt[] = [];
      const code = await attempt(many, createBreakers(), idle, attempts, async ({ routeId }) => {
        const step = script[many.findIndex((one) => one.routeId === routeId)]!;
        if (step !== "ok") throw new UpstreamError(step, "the upstream's words", { status: 200 });
      }).then(
        ({ candidate }) => `served by ${candidate.routeId}`,
        (error: unknown) => (error as ApiError).code,
      );
      return [code, attempts.length];
    };
    expect(await ask(["unreadable", "unreadable", "unreadable", "ok", "ok"])).toEqual(["upstream_invalid_response", 3]);
    expect(await ask(["unreadable", "unavailable", "unreadable", "unreadable", "ok"])).toEqual(["provider_unavailable", 4]);
    expect(await ask(["unreadable", "unreadable", "unavailable", "gone", "ok"])).toEqual(["served by e", 5]);
  });
  test.each([
    [422, 422],
    [413, 413],
    [200, 400], // an error as the first record of a stream that began well
    [null, 400],
  ])("a rejection that came with %s becomes %i", async (status, shownStatus) => {
    const rejection = attempt(candidates, createBreakers(), idle, [], async () => {
      throw new UpstreamError("rejected", "the upstream's words", { status });
    });
    await expect(rejection).rejects.toMatchObject({ code: "request_rejected", details: { status: shownStatus } });
  });
  test.each<[string, (UpstreamFault | "ok")[]]>([
    ["route_refused", ["refused", "refused"]],
    ["upstream_invalid_response", ["unreadable", "unreadable"]],
    ["model_unavailable", ["gone", "gone"]],
    ["provider_unavailable", ["unavailable", "rate_limited", "our_fault"]],
    ["provider_unavailable", ["refused", "unavailable"]],
    ["provider_unavailable", ["gone", "unreadable"]],
  ])("%s when the routes said %j", async (code, script) => {
    expect((await run(script)).code).toBe(code);
  });
});

describe("rules of an operation", () => {
  const failing = (fault: UpstreamFault) => async () => {
    throw new UpstreamError(fault, "the upstream's words");
  };

  test("a final fault: no further route is tried, and the rule's error reaches the client", async () => {
    const attempts: Attempt[] = [];
    const stopAt = ({ fault }: UpstreamError) => {
      if (fault === "rate_limited") throw new ApiError("rate_limit_exceeded", {});
    };
    const limited = attempt(candidates, createBreakers(), idle, attempts, failing("rate_limited"), { stopAt });
    await expect(limited).rejects.toMatchObject({ code: "rate_limit_exceeded" });
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["rate_limited"]);
    const away = attempt(candidates, createBreakers(), idle, attempts, failing("unavailable"), { stopAt });
    await expect(away).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(attempts).toHaveLength(4);
  });

  describe("a rejection that speaks of its candidate alone", () => {
    const rejectsAlone = () => true;
    const ask = async (script: (UpstreamFault | "ok")[], breakers = createBreakers()) => {
      const attempts: Attempt[] = [];
      const call = async ({ routeId }: Candidate) => {
        const step = script[candidates.findIndex((candidate) => candidate.routeId === routeId)]!;
        if (step !== "ok") throw new UpstreamError(step, "the upstream's words");
      };
      const code = await attempt(candidates.slice(0, script.length), breakers, idle, attempts, call, { rejectsAlone }).then(
        ({ candidate }) => `served by ${candidate.routeId}`,
        (error: unknown) => (error as ApiError).code,
      );
      return { code, outcomes: attempts.map(({ outcome }) => outcome) };
    };

    test.each<UpstreamFault>(["unavailable", "rate_limited", "unreadable", "our_fault", "local_overload"])(
      "is no answer after %s: the next is tried, and none serving is provider_unavailable",
      async (fault) => {
        expect(await ask([fault, "rejected", "ok"])).toEqual({ code: "served by c", outcomes: [fault, "rejected", "ok"] });
        expect(await ask([fault, "rejected", fault])).toEqual({ code: "provider_unavailable", outcomes: [fault, "rejected", fault] });
        expect((await ask([fault, "rejected", "rejected"])).code).toBe("provider_unavailable");
      },
    );
    test.each<UpstreamFault>(["gone", "refused"])("is final after %s, and when it comes first", async (fault) => {
      expect(await ask([fault, "rejected", "ok"])).toEqual({ code: "request_rejected", outcomes: [fault, "rejected"] });
      expect(await ask(["rejected", "ok"])).toEqual({ code: "request_rejected", outcomes: ["rejected"] });
    });
    test("is no answer where a route before it was passed over, but for that route itself", async () => {
      const breakers = createBreakers();
      for (let n = 0; n < 5; n += 1) breakers.failed("a");
      expect(await ask(["ok", "rejected", "ok"], breakers)).toEqual({ code: "served by c", outcomes: ["breaker_open", "rejected", "ok"] });
      expect((await ask(["ok", "rejected"], breakers)).code).toBe("provider_unavailable");
      expect(await ask(["rejected"], breakers)).toEqual({ code: "request_rejected", outcomes: ["breaker_open", "rejected"] });
    });
    test("is final where the operation has no such rule", async () => {
      expect(await run(["unavailable", "rejected", "ok"])).toMatchObject({ code: "request_rejected", tried: ["a", "b"] });
    });
  });

  test("a pause is no part of the attempt's time, and a caller who disconnects in it costs the route nothing", async () => {
    const attempts: Attempt[] = [];
    const controller = new AbortController();
    const pause = async () => {
      controller.abort(new Error("gone"));
      controller.signal.throwIfAborted();
    };
    const left = attempt(candidates, createBreakers(), controller.signal, attempts, failing("unavailable"), { pause });
    await expect(left).rejects.toThrow("gone");
    expect(attempts).toMatchObject([{ outcome: "aborted", status: null }]);
  });

  test("a route that is tried twice was heard, also where the first time opened its breaker", async () => {
    const breakers = createBreakers();
    for (let n = 0; n < 4; n += 1) breakers.failed("a");
    const twice = [candidates[0]!, { ...candidates[0]!, layer: 1 as const }];
    const attempts: Attempt[] = [];
    await expect(attempt(twice, breakers, idle, attempts, failing("unreadable"))).rejects.toMatchObject({
      code: "upstream_invalid_response",
    });
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["unreadable", "breaker_open"]);
  });
});

describe("breakers", () => {
  test("five 5xx in a row keep a route out; 4xx and refusals never count", async () => {
    const breakers = createBreakers();
    for (let n = 0; n < 6; n += 1) await run([{ fault: "rate_limited", status: 429 }, "ok"], breakers);
    for (let n = 0; n < 6; n += 1) await run([{ fault: "our_fault", status: 401 }, "ok"], breakers);
    expect((await run(["ok", "ok"], breakers)).tried).toEqual(["a"]);
    for (let n = 0; n < 5; n += 1) await run([{ fault: "unavailable", status: 503 }, "ok"], breakers);
    expect((await run(["ok", "ok"], breakers)).tried).toEqual(["b"]);
  });
  test("when every candidate's is open the first is tried anyway", async () => {
    const breakers = createBreakers();
    for (let n = 0; n < 5; n += 1) await run(["unavailable", "unavailable"], breakers);
    expect(await run(["ok", "ok"], breakers)).toMatchObject({ code: "served by a", tried: ["a"] });
  });
  test.each<UpstreamFault>(["refused", "gone", "unreadable"])(
    "a route that was passed over may serve in a moment: %s by the others is no verdict",
    async (fault) => {
      const breakers = createBreakers();
      for (let n = 0; n < 5; n += 1) await run([fault, "unavailable"], breakers);
      expect(await run([fault, "ok"], breakers)).toMatchObject({ code: "provider_unavailable", tried: ["a"] });
    },
  );
  test("a caller that disconnected takes no probe along", async () => {
    const controller = new AbortController();
    controller.abort(new Error("gone"));
    await expect(attempt(candidates, createBreakers(), controller.signal, [], async () => "never")).rejects.toThrow("gone");
  });
});
