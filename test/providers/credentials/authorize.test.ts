// Tokens and signatures: what the hook is told, what it adds, how long it may take, and that expiring credentials are renewed in time.
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { authorizationFor, credentialsFault, openRenewed } from "../../../src/providers/credentials/authorize.ts";
import type { UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import { failureOf } from "../../../src/providers/errors/upstream-error.ts";
import { sentOf } from "../../../src/providers/json/splice.ts";
import type { StreamedBody, UpstreamRequest } from "../../../src/providers/transport/types.ts";
import type { Provider, RequestToSign } from "../../../src/providers/types.ts";
import { providerAt, startHost, useUpstream } from "../upstream-fixture.ts";

function requestTo(provider: Provider, change: Partial<UpstreamRequest> = {}): UpstreamRequest {
  const json = "application/json";
  const rest = { method: "POST", path: "/chat?deep=1", body: "{}", contentType: json, accept: json } as const;
  return { provider, requestId: "req_1", signal: new AbortController().signal, ...rest, ...change };
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as UpstreamError,
  );

describe("the hook", () => {
  test("is told what goes out, and its headers go with it", async () => {
    const host = await startHost((_request, response) => response.end("ok"));
    const told: RequestToSign[] = [];
    const authorize = async (request: RequestToSign) => {
      told.push(request);
      return { authorization: "Bearer t-1", "x-date": "now" };
    };
    const provider = providerAt(`${host.url}/base`, { apiKey: null, headers: { "X-Org": "o-1" }, authorize });
    await (await useUpstream().send(requestTo(provider, { headers: ["x-own", "1"] }))).body.bytes(10);
    expect(told).toEqual([
      {
        method: "POST",
        origin: host.url,
        path: "/base/chat?deep=1",
        headers: { "user-agent": "svc-gateway/1", "x-org": "o-1", "x-own": "1", "content-type": "application/json" },
        body: "{}",
      },
    ]);
    expect(host.requests[0]!.headers).toMatchObject({ authorization: "Bearer t-1", "x-date": "now", "x-own": "1", "x-org": "o-1" });
  });

  test("may read a streamed body before it is sent", async () => {
    const host = await startHost((_request, response) => response.end("ok"));
    const long = JSON.stringify({ text: "x".repeat(50_000) });
    const authorize = async ({ body }: RequestToSign) => ({ "x-length": String((await text((body as StreamedBody).open())).length) });
    await (await useUpstream().send(requestTo(providerAt(host.url, { authorize }), { body: sentOf(long) }))).body.bytes(10);
    expect(host.requests[0]).toMatchObject({ body: long, headers: { "x-length": String(long.length) } });
  });

  test("a failure is the operator's, with a cause and without a foreign sentence; nothing is sent", async () => {
    const host = await startHost((_request, response) => response.end("ok"));
    const throws = (error: unknown) => providerAt(host.url, { authorize: () => Promise.reject(error) });
    const own = await faultOf(useUpstream().send(requestTo(throws(credentialsFault("the role can't be assumed")))));
    expect([own!.fault, failureOf(own!)]).toEqual(["our_fault", { cause: "credentials", detail: "the role can't be assumed" }]);
    const foreign = await faultOf(useUpstream().send(requestTo(throws(new Error("secret s-123 is wrong")))));
    expect([foreign!.fault, failureOf(foreign!)]).toEqual([
      "our_fault",
      { cause: "credentials", detail: "the credentials could not be used" },
    ]);
    expect(host.requests).toEqual([]);
  });

  test("one that hangs ends by its time limit or with its request", async () => {
    const never = { authorize: () => new Promise<never>(() => undefined) };
    const address = { origin: "http://host", path: "/", answered: false };
    const late = await faultOf(authorizationFor(requestTo(providerAt("http://host", never)), address, 5));
    expect(failureOf(late!)).toEqual({ cause: "credentials", detail: "no credentials within 5 ms" });
    const gone = new AbortController();
    const waiting = faultOf(authorizationFor(requestTo(providerAt("http://host", never), { signal: gone.signal }), address));
    gone.abort(new Error("gone"));
    expect((await waiting)!.message).toBe("gone");
  });

  test("the provider's owner hears of 401 and 403, and of no other status", async () => {
    let heard = 0;
    const upstream = useUpstream();
    for (const status of [200, 401, 403, 404, 429]) {
      const host = await startHost((_request, response) => response.writeHead(status).end());
      await (await upstream.send(requestTo(providerAt(host.url, { onUnauthorized: () => (heard += 1) })))).body.bytes(10);
    }
    expect(heard).toBe(2);
  });
});

describe("an expiring credential", () => {
  function openCounted(lifeMs: number) {
    let now = Date.UTC(2026, 0, 1);
    const asked = { count: 0, fails: false };
    const renewed = openRenewed(
      async () => {
        asked.count += 1;
        await Promise.resolve();
        if (asked.fails) throw new Error("no");
        return { value: `t-${asked.count}`, expiresAt: new Date(now + lifeMs) };
      },
      () => new Date(now),
    );
    return { renewed, asked, pass: (ms: number) => (now += ms) };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test("is obtained once for all calls that wait", async () => {
    const { renewed, asked } = openCounted(3_600_000);
    expect(await Promise.all([renewed.get(), renewed.get(), renewed.get()])).toEqual(["t-1", "t-1", "t-1"]);
    expect(asked.count).toBe(1);
  });

  test("is renewed before it ends, while the old one still serves", async () => {
    const { renewed, asked, pass } = openCounted(3_600_000);
    await renewed.get();
    pass(3_400_000);
    expect(await renewed.get()).toBe("t-1");
    await settled();
    expect(await renewed.get()).toBe("t-2");
    expect(asked.count).toBe(2);
  });

  test("survives a failed renewal until shortly before its end; then the failure shows", async () => {
    const { renewed, asked, pass } = openCounted(3_600_000);
    await renewed.get();
    asked.fails = true;
    pass(3_400_000);
    expect(await renewed.get()).toBe("t-1");
    await settled();
    expect(await renewed.get()).toBe("t-1");
    expect(asked.count).toBe(2); // it rests after a failure
    pass(190_000);
    await expect(renewed.get()).rejects.toThrow("no");
  });

  test("that was refused is replaced, unless it is new", async () => {
    const { renewed, pass } = openCounted(3_600_000);
    await renewed.get();
    renewed.forget();
    expect(await renewed.get()).toBe("t-1");
    pass(60_000);
    renewed.forget();
    expect(await renewed.get()).toBe("t-2");
  });
});
