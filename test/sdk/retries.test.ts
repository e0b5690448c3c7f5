// When a call is sent again, how often and after how long: never where it could do something twice.
import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, SvcError } from "../../generated/sdk/index.js";
import { delayBefore, retryAfterOf } from "../../src/sdk/retry.ts";
import { eventually } from "../support/eventually.ts";
import { type GivenAnswer, refusal, withAnswers } from "./answers-server.ts";

const messages = [{ role: "user" as const, content: "Hello" }];
const model = "m";
const soon = { "x-should-retry": "true", "retry-after-ms": "1" };
const done: GivenAnswer = [200, { "x-request-id": "req_2" }, { object: "list", data: [] }];
const gone: GivenAnswer = (response) => response.destroy();
const proxyDown: GivenAnswer = [503, { "content-type": "text/html", "retry-after": "0" }, "<h1>no</h1>"];

afterEach(() => vi.restoreAllMocks());

describe("a refusal", () => {
  test("with x-should-retry: true is asked again, a paid POST too; 2 times where nothing is said", async () => {
    await withAnswers(
      [refusal(503, "provider_unavailable", soon), refusal(429, "rate_limit_exceeded", soon), done],
      async (svc, server) => {
        await svc.chat.completions.create({ model, messages });
        expect(server.received.length).toBe(3);
        expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
      },
    );
    await withAnswers([refusal(503, "provider_unavailable", soon)], async (svc, server) => {
      await expect(svc.chat.completions.create({ model, messages })).rejects.toMatchObject({ code: "provider_unavailable", status: 503 });
      expect(server.received.length).toBe(3);
    });
  });

  test("with x-should-retry: false is final, whatever its status and its method", async () => {
    await withAnswers([refusal(503, "model_unavailable", { "x-should-retry": "false" }), done], async (svc, server) => {
      await expect(svc.models.list()).rejects.toMatchObject({ code: "model_unavailable" });
      expect(server.received.length).toBe(1);
    });
  });

  test("of which the gateway says nothing is repeated for a GET and for an order with a key, for no other POST", async () => {
    await withAnswers([proxyDown, done], async (svc) => expect(await svc.models.list()).toMatchObject({ data: [] }));
    await withAnswers([proxyDown, done], async (svc, server) => {
      await svc.images.generate({ model, prompt: "A boat" });
      const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
      expect(keys).toEqual([keys[0], keys[0]]);
    });
    await withAnswers([proxyDown, done], async (svc, server) => {
      const error = await svc.chat.completions.create({ model, messages }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "unexpected_answer", status: null, httpStatus: 503, retryable: true, body: "<h1>no</h1>" });
      expect(server.received.length).toBe(1);
    });
  });
});

describe("a connection that breaks", () => {
  test("is tried again for a GET and an order with a key; for another POST never, as its body may have arrived", async () => {
    await withAnswers([gone, gone, done], async (svc) => expect(await svc.models.list()).toMatchObject({ data: [] }));
    await withAnswers([gone, done], async (svc) => expect(await svc.videos.generate({ model, prompt: "x" })).toMatchObject({ data: [] }));
    for (const ask of ["chat", "messages", "speech"] as const)
      await withAnswers([gone, done], async (svc, server) => {
        const calls = {
          chat: () => svc.chat.completions.create({ model, messages }),
          messages: () => svc.messages.create({ model, messages, max_tokens: 1 }),
          speech: () => svc.audio.speech.create({ input: "x" }),
        };
        const error: unknown = await calls[ask]().catch((error: unknown) => error);
        expect(error).toMatchObject({ code: "connection_failed", retryable: true, status: null, httpStatus: null, headers: null });
        expect(server.received.length).toBe(1);
      });
  });

  test("is tried again for a call with an idempotency key of the caller's, which is the same each time", async () => {
    await withAnswers([gone, done], async (svc, server) => {
      await svc.chat.completions.create({ model, messages }, { idempotencyKey: "greeting-1" });
      expect(server.received.map(({ headers }) => headers["idempotency-key"])).toEqual(["greeting-1", "greeting-1"]);
    });
  });

  test("in the middle of a body is one too", async () => {
    const half: GivenAnswer = (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100", "x-request-id": "req_3" });
      response.write('{"object":', () => response.destroy());
    };
    await withAnswers([half, done], async (svc) => expect(await svc.models.list()).toMatchObject({ data: [] }));
    await withAnswers([half, done], async (svc) => {
      await expect(svc.embeddings.create({ model, input: "x" })).rejects.toMatchObject({
        code: "connection_failed",
        httpStatus: 200,
        requestId: "req_3",
      });
    });
  });

  test("in the middle of a refusal leaves what its head says: x-should-retry, the status and the id", async () => {
    const half: GivenAnswer = (response) => {
      const head = { "content-type": "application/json", "content-length": "100", "x-should-retry": "false", "x-request-id": "req_4" };
      response.writeHead(402, head);
      response.write('{"error":', () => response.destroy());
    };
    await withAnswers([half, done], async (svc, server) => {
      await expect(svc.models.list()).rejects.toMatchObject({ code: "connection_failed", httpStatus: 402, requestId: "req_4" });
      expect(server.received.length).toBe(1);
    });
  });

  test("before it was made is tried again even for a POST", async () => {
    let tries = 0;
    const refused: typeof fetch = async (_url, _init) => {
      tries += 1;
      if (tries < 3) throw new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
      return Response.json({ choices: [] });
    };
    vi.spyOn(Math, "random").mockReturnValue(1);
    await withAnswers([done], async (svc) => svc.chat.completions.create({ model, messages }), { fetch: refused as never });
    expect(tries).toBe(3);
  });
});

describe("the wait", () => {
  test("is what the gateway asks: retry-after-ms first, then Retry-After in seconds or as a date", () => {
    const asked = (headers: Record<string, string>) => retryAfterOf(new Headers(headers));
    expect(asked({ "retry-after-ms": "1234.5", "retry-after": "9" })).toBe(1234.5);
    expect(asked({ "retry-after": "7" })).toBe(7000);
    expect(asked({ "retry-after-ms": "soon", "retry-after": "0" })).toBe(0);
    expect(asked({ "retry-after": new Date(Date.now() + 30_000).toUTCString() })).toBeGreaterThan(20_000);
    expect(asked({ "retry-after": new Date(0).toUTCString() })).toBe(0);
    expect([asked({}), asked({ "retry-after": "soon" }), asked({ "retry-after": "" })]).toEqual([null, null, null]);
    const error = new SvcError({ message: "x", code: "connection_failed", retryAfterMs: 1234 });
    expect(delayBefore(error as never, 3)).toBe(1234);
  });

  test("doubles by itself where nothing is asked, up to 8 s, up to half of it taken off", () => {
    const error = new SvcError({ message: "x", code: "connection_failed" });
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect([0, 1, 2, 3, 4, 9].map((attempt) => delayBefore(error as never, attempt))).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    vi.mocked(Math.random).mockReturnValue(1);
    expect(delayBefore(error as never, 0)).toBe(250);
  });

  test("that is longer than maxRetryDelay is not begun: the error says how long", async () => {
    const later = refusal(429, "rate_limit_exceeded", { "x-should-retry": "true", "retry-after": "61" });
    await withAnswers([later, done], async (svc, server) => {
      await expect(svc.models.list()).rejects.toMatchObject({ code: "rate_limit_exceeded", retryAfterMs: 61_000 });
      expect(server.received.length).toBe(1);
    });
  });

  test("ends at once with an abort", async () => {
    const later = refusal(429, "rate_limit_exceeded", { "x-should-retry": "true", "retry-after": "50" });
    await withAnswers([later, done], async (svc, server) => {
      const leaving = new AbortController();
      const added = vi.spyOn(leaving.signal, "addEventListener");
      const ended = expect(svc.models.list({}, { signal: leaving.signal })).rejects.toMatchObject({ code: "aborted", cause: "enough" });
      await eventually(() => expect(added).toHaveBeenCalledTimes(2));
      leaving.abort("enough");
      await ended;
      expect(server.received.length).toBe(1);
    });
  });

  test("and the calls around it leave no listener on a signal that lives long", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await withAnswers([refusal(503, "provider_unavailable", soon), done], async (svc) => {
      for (let call = 0; call < 3; call += 1) await svc.models.list({}, { signal });
    });
    expect(added.mock.calls.length).toBeGreaterThan(3);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});

test("a key that no header can carry fails before anything is sent, and is in no text of the error", async () => {
  for (const apiKey of ["svc_se\ncret", "svc_se cret", "svc_se…cret"])
    await withAnswers(
      [done],
      async (svc, server) => {
        const error = await svc.jobs.get("j").catch((error: unknown) => error);
        expect(error).toBeInstanceOf(TypeError);
        expect(inspect(error, { depth: 9 })).not.toMatch(/svc_se|cret/);
        expect(server.received.length).toBe(0);
      },
      { apiKey },
    );
  const withBreak: ClientOptions = { apiKey: () => " svc_secret\n" };
  await withAnswers([done], async (svc, server) => {
    await svc.images.generate({ model, prompt: "x" });
    expect(server.received[0]!.headers.authorization).toBe("Bearer svc_secret");
  }, withBreak); // prettier-ignore
});

describe("the time", () => {
  test("without an answer is bounded: timeout, tried again as a broken connection is", async () => {
    const silence: GivenAnswer = () => {};
    await withAnswers([silence, done], async (svc) => expect(await svc.models.list({}, { timeout: 1000 })).toMatchObject({ data: [] }));
    await withAnswers([silence, done], async (svc, server) => {
      const error: unknown = await svc.chat.completions.create({ model, messages }, { timeout: 1000 }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "timeout", retryable: true });
      expect(server.received.length).toBe(1);
      await eventually(() => expect(server.left).toBe(1));
    });
  });

  test("of an abort is now, before sending and while waiting; it is never tried again", async () => {
    await withAnswers([(_response) => {}, done], async (svc, server) => {
      await expect(svc.models.list({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted", retryable: false });
      expect(server.received.length).toBe(0);
      const leaving = new AbortController();
      const ended = expect(svc.models.list({}, { signal: leaving.signal })).rejects.toMatchObject({ code: "aborted" });
      await eventually(() => expect(server.received.length).toBe(1));
      leaving.abort();
      await ended;
      await eventually(() => expect(server.left).toBe(1));
    });
  });
});
