// Upstream HTTP over real sockets: what is sent, what ends a call, and that nothing stays open.
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { openSlots } from "../../src/concurrency/slots.ts";
import type { UpstreamError } from "../../src/providers/errors/upstream-error.ts";
import { connectUpstreams } from "../../src/providers/transport/http.ts";
import type { UpstreamRequest } from "../../src/providers/transport/types.ts";
import { until } from "../support/eventually.ts";
import { providerAt, startHost, useUpstream } from "./upstream-fixture.ts";

function requestTo(url: string, change: Partial<UpstreamRequest> = {}): UpstreamRequest {
  const signal = new AbortController().signal;
  const json = "application/json";
  const rest = { method: "POST", path: "/chat/completions", body: "{}", contentType: json, accept: json } as const;
  return { provider: providerAt(url), requestId: "req_1", signal, ...rest, ...change };
}

const idle = { calls: 0, waiting: 0 };

describe("what is sent", () => {
  test("method, path below the base URL, key, the operator's headers, request id; the body byte by byte", async () => {
    const host = await startHost((_request, response) => response.end("ok"));
    const provider = providerAt(`${host.url}/deep/v1`, { headers: { "X-Org": "o-1", "User-Agent": "mine/2", "Content-Length": "3" } });
    const answer = await useUpstream().send(requestTo("", { provider, body: '{"é":1e400}' }));
    expect((await answer.body.bytes(10)).toString()).toBe("ok");
    const [request] = host.requests;
    expect(request).toMatchObject({ method: "POST", url: "/deep/v1/chat/completions", body: '{"é":1e400}' });
    expect(request!.headers).toMatchObject({
      authorization: "Bearer sk-demo-secret-0001",
      "content-type": "application/json",
      accept: "application/json",
      "x-request-id": "req_1",
      "x-org": "o-1",
      "user-agent": "mine/2",
      "content-length": "12",
    });
  });

  test("no authorization without a key; a query of the base URL stays", async () => {
    const host = await startHost((_request, response) => response.end());
    const provider = providerAt(`${host.url}/v1?api-version=7`, { apiKey: null });
    await (await useUpstream().send(requestTo("", { provider }))).body.bytes(0);
    expect(host.requests[0]!.headers).not.toHaveProperty("authorization");
    expect(host.requests[0]!.url).toBe("/v1/chat/completions?api-version=7");
  });

  test("sockets are kept: calls one after the other use one", async () => {
    const host = await startHost((_request, response) => response.end("ok"));
    const upstream = useUpstream();
    for (let round = 0; round < 5; round += 1) {
      await (await upstream.send(requestTo(host.url))).body.bytes(10);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(host.sockets.size).toBe(1);
    expect(upstream.gauge()).toEqual({ ...idle, sockets: 1 });
  });

  test("a redirect is an answer like any other and is not followed", async () => {
    const host = await startHost((_request, response) => response.writeHead(307, { location: "/elsewhere" }).end());
    expect((await useUpstream().send(requestTo(host.url))).status).toBe(307);
    expect(host.requests).toHaveLength(1);
  });
});

describe("what ends a call", () => {
  test("connection refused: unavailable, without the secret in any message", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const upstream = useUpstream();
    const error = await upstream.send(requestTo(`http://127.0.0.1:${port}`)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ fault: "unavailable", reason: "the connection failed (ECONNREFUSED)", status: null });
    expect(upstream.gauge()).toMatchObject(idle);
  });

  test("a key that can't be a header: our fault, the secret in no message", async () => {
    const host = await startHost((_request, response) => response.end());
    const send = useUpstream().send(requestTo("", { provider: providerAt(host.url, { apiKey: "sk-broken\nkey" }) }));
    const error = (await send.catch((reason: unknown) => reason)) as UpstreamError;
    expect(error.fault).toBe("our_fault");
    expect(`${error.message} ${String(error.cause)}`).not.toContain("broken");
  });

  test("no headers before the provider's timeout: unavailable, the socket closed", async () => {
    const host = await startHost(() => undefined);
    const upstream = useUpstream();
    const provider = providerAt(host.url, { timeoutMs: 60 });
    await expect(upstream.send(requestTo("", { provider }))).rejects.toMatchObject({
      fault: "unavailable",
      reason: "no answer within 60 ms",
      failure: { cause: "timeout_first_byte" },
    });
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });

  test("a host that takes the connection and never secures it: no answer in time, and the operator learns that there was no connection", async () => {
    const server = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const provider = providerAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, { timeoutMs: 100 });
    await expect(useUpstream().send(requestTo("", { provider }))).rejects.toMatchObject({
      reason: "no answer within 100 ms",
      failure: { cause: "timeout_connect", detail: "no connection within 100 ms" },
    });
    server.close();
  });

  test("silence inside a body longer than the idle limit: unavailable", async () => {
    const host = await startHost((_request, response) => void response.writeHead(200).write("begun"));
    const upstream = useUpstream({ idleMs: 100 });
    const answer = await upstream.send(requestTo("", { provider: providerAt(host.url, { timeoutMs: 100 }) }));
    await expect(answer.body.bytes(100)).rejects.toMatchObject({
      fault: "unavailable",
      reason: "the answer stopped arriving",
      failure: { cause: "timeout_idle" },
    });
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });

  test("a body above its cap: unreadable, and no more of it is read", async () => {
    const host = await startHost((_request, response) => response.end("x".repeat(5_000_000)));
    const upstream = useUpstream();
    const answer = await upstream.send(requestTo(host.url));
    await expect(answer.body.bytes(1_000)).rejects.toMatchObject({ fault: "unreadable" });
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });

  test("the host cuts the body: unavailable", async () => {
    const host = await startHost((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("part");
      setTimeout(() => response.destroy(), 20);
    });
    const answer = await useUpstream().send(requestTo(host.url));
    await expect(answer.body.bytes(1_000)).rejects.toMatchObject({ fault: "unavailable" });
  });

  test.each(["before headers", "inside the body"])("an abort %s rejects with the signal's reason and closes the socket", async (when) => {
    const host = await startHost((_request, response) => void (when === "before headers" || response.writeHead(200).write("begun")));
    const upstream = useUpstream();
    const abort = new AbortController();
    const reason = new Error("the client disconnected");
    const sent = upstream.send(requestTo(host.url, { signal: abort.signal }));
    const read = sent.then((answer) => answer.body.bytes(100));
    await until(() => host.requests.length === 1);
    if (when !== "before headers") await sent;
    abort.abort(reason);
    await expect(read).rejects.toBe(reason);
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0 && upstream.gauge().sockets === 0);
  });

  test("an abort while the socket connects sends nothing", async () => {
    const host = await startHost((_request, response) => response.end());
    const upstream = useUpstream();
    const abort = new AbortController();
    const sent = upstream.send(requestTo(host.url, { signal: abort.signal }));
    abort.abort(new Error("at once"));
    await expect(sent).rejects.toThrow("at once");
    await until(() => upstream.gauge().calls === 0);
    await (await upstream.send(requestTo(host.url))).body.bytes(10);
    expect(host.requests).toHaveLength(1);
  });

  test("a signal that fired earlier sends nothing", async () => {
    const host = await startHost((_request, response) => response.end());
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(useUpstream().send(requestTo(host.url, { signal }))).rejects.toThrow("gone");
    expect(host.requests).toHaveLength(0);
  });

  test("close() ends open calls and refuses new ones", async () => {
    const host = await startHost(() => undefined);
    const upstream = connectUpstreams();
    const sent = upstream.send(requestTo(host.url));
    const failed = expect(sent).rejects.toMatchObject({ fault: "unavailable" });
    await until(() => host.requests.length === 1);
    await upstream.close();
    await failed;
    await expect(upstream.send(requestTo(host.url))).rejects.toThrow("closed");
  });
});

describe("bounds", () => {
  test("calls beyond the connections wait, beyond the queue they are refused; an abort frees the place", async () => {
    const open: (() => void)[] = [];
    const host = await startHost((_request, response) => void open.push(() => response.end("ok")));
    const upstream = useUpstream({ connections: 2, waiting: 2 });
    const abort = new AbortController();
    const sends = [1, 2, 3].map(() => upstream.send(requestTo(host.url)).then((answer) => answer.body.bytes(10)));
    const leaver = upstream.send(requestTo(host.url, { signal: abort.signal }));
    await until(() => open.length === 2);
    expect(upstream.gauge()).toEqual({ calls: 2, waiting: 2, sockets: 2 });
    await expect(upstream.send(requestTo(host.url))).rejects.toMatchObject({ fault: "local_overload", status: null });
    abort.abort(new Error("left the queue"));
    await expect(leaver).rejects.toThrow("left the queue");
    expect(upstream.gauge()).toMatchObject({ calls: 2, waiting: 1 });
    open.forEach((end) => end());
    await until(() => open.length === 3);
    open[2]!();
    expect((await Promise.all(sends)).map(String)).toEqual(["ok", "ok", "ok"]);
    expect(upstream.gauge()).toMatchObject(idle);
  });

  test("as shipped, 600 calls of one host run at once", async () => {
    const open: (() => void)[] = [];
    const host = await startHost((_request, response) => void open.push(() => response.end("ok")));
    const upstream = useUpstream();
    const sends = Array.from({ length: 600 }, () => upstream.send(requestTo(host.url)).then((answer) => answer.body.bytes(10)));
    await until(() => open.length === 600);
    open.forEach((end) => end());
    expect(new Set((await Promise.all(sends)).map(String))).toEqual(new Set(["ok"]));
  });

  test("a call whose timeout passes while it waits here: local_overload, nothing sent", async () => {
    const host = await startHost(() => undefined);
    const upstream = useUpstream({ connections: 1 });
    const first = expect(upstream.send(requestTo(host.url))).rejects.toBeDefined();
    await until(() => host.requests.length === 1);
    const provider = providerAt(host.url, { timeoutMs: 50 });
    await expect(upstream.send(requestTo("", { provider }))).rejects.toMatchObject({ fault: "local_overload", status: null });
    expect(host.requests).toHaveLength(1);
    expect(upstream.gauge()).toMatchObject({ calls: 1, waiting: 0 });
    await upstream.close();
    await first;
  });

  test("a host has the whole timeout for a call that waited here", async () => {
    const host = await startHost((_request, response) => void setTimeout(() => response.end("ok"), 600));
    const upstream = useUpstream({ connections: 1 });
    const provider = providerAt(host.url, { timeoutMs: 1_000 });
    const sends = [1, 2].map(() => upstream.send(requestTo("", { provider })).then((answer) => answer.body.bytes(10)));
    expect((await Promise.all(sends)).map(String)).toEqual(["ok", "ok"]);
  });

  test("slots pass to waiters in order, however many left", () => {
    const slots = openSlots(1, 3);
    const order: string[] = [];
    slots.take(() => order.push("a"));
    const leave = slots.take(() => order.push("b"));
    slots.take(() => order.push("c"));
    if (leave) leave();
    slots.release();
    slots.release();
    expect(order).toEqual(["a", "c"]);
    expect([slots.taken(), slots.waiting()]).toEqual([0, 0]);
  });

  test("a reader whose promises are fulfilled at once delays no one else", async () => {
    const block = Buffer.alloc(48_000, "x");
    const host = await startHost((_request, response) => {
      let left = 300;
      const more = () => void ((left -= 1) === 0 ? response.end() : response.write(block, more));
      more();
    });
    const answer = await useUpstream().send(requestTo(host.url));
    let read = 0;
    await answer.body.read((chunk) => {
      read += chunk.length;
      return Promise.resolve();
    });
    expect(read).toBe(299 * block.length);
  });

  test("a slow reader pauses the host: what it could write stays near the sockets' buffers", async () => {
    let written = 0;
    const block = Buffer.alloc(64 * 1024, "x");
    const total = 64 * 1024 * 1024;
    const host = await startHost((_request, response) => {
      const pump = () => {
        while (written < total && response.write(block)) written += block.length;
        if (written >= total) response.end();
      };
      response.on("drain", () => ((written += block.length), pump()));
      pump();
    });
    const answer = await useUpstream().send(requestTo(host.url));
    let read = 0;
    let held = false;
    let release: () => void = () => undefined;
    const done = answer.body.read((chunk) => {
      if (held) throw new Error("a chunk overtook the one that is waited for");
      read += chunk.length;
      held = read > 4e6 && read - chunk.length <= 4e6; // not among the first, which wait for a reader anyway
      if (held) return new Promise<void>((resolve) => (release = resolve));
    });
    await until(() => held);
    let before = -1;
    while (written !== before) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(20 * 1024 * 1024);
    held = false;
    release();
    await done;
    expect(read).toBe(Math.ceil(total / block.length) * block.length);
  });
});
