// Requests to addresses that a provider answered with: which are allowed, which headers they get, how many pools they may open.
import { describe, expect, test } from "vitest";
import { answeredAddress } from "../../src/providers/transport/target.ts";
import type { UpstreamRequest } from "../../src/providers/transport/types.ts";
import { until } from "../support/eventually.ts";
import { providerAt, startHost, useUpstream } from "./upstream-fixture.ts";

function requestTo(path: string, change: Partial<UpstreamRequest> = {}): UpstreamRequest {
  const signal = new AbortController().signal;
  const rest = { method: "GET", body: null, contentType: "application/json", accept: "application/json" } as const;
  return { provider: providerAt("http://base.invalid/v1?tenant=7"), requestId: "req_1", signal, path, ...rest, ...change };
}

test("another origin and path are called unchanged, with the provider's key and headers", async () => {
  const host = await startHost((_request, response) => response.end("ok"));
  const provider = providerAt("http://base.invalid/v1?tenant=7", { headers: { "X-Org": "o-1" } });
  const answer = await useUpstream().send(requestTo(`${host.url}/requests/1/status?logs=0`, { provider }));
  expect((await answer.body.bytes(10)).toString()).toBe("ok");
  expect(host.requests).toMatchObject([{ method: "GET", url: "/requests/1/status?logs=0" }]);
  expect(host.requests[0]!.headers).toMatchObject({ authorization: "Bearer sk-demo-secret-0001", "x-org": "o-1", "x-request-id": "req_1" });
});

test("PUT goes without a body", async () => {
  const host = await startHost((_request, response) => response.writeHead(202).end());
  await (await useUpstream().send(requestTo(`${host.url}/cancel`, { method: "PUT" }))).body.bytes(0);
  expect(host.requests).toMatchObject([{ method: "PUT", url: "/cancel", body: "" }]);
  expect(host.requests[0]!.headers).not.toHaveProperty("content-type");
});

test("bytes go as they are", async () => {
  const host = await startHost((_request, response) => response.end());
  const provider = providerAt(host.url);
  const body = Buffer.from("--b\r\nx: y\r\n");
  await (
    await useUpstream().send(requestTo("/files", { provider, method: "POST", body, contentType: "multipart/form-data" }))
  ).body.bytes(0);
  expect(host.requests[0]).toMatchObject({
    body: "--b\r\nx: y\r\n",
    headers: { "content-type": "multipart/form-data", "content-length": "11" },
  });
});

describe("which addresses", () => {
  test.each([
    ["https://queue.example.com/a?b=1", "https://base.example.com/v1", "https://queue.example.com/a?b=1"],
    ["http://127.0.0.1:9/a", "http://base.example.com/v1", "http://127.0.0.1:9/a"],
    ["https://queue.example.com/a", "http://base.example.com", "https://queue.example.com/a"],
    ["/requests/1", "https://base.example.com/v1", "https://base.example.com/requests/1"],
    ["http://queue.example.com/a", "https://base.example.com", null], // the key would go in clear
    ["ftp://queue.example.com/a", "http://base.example.com", null],
    ["http://[", "http://base.example.com", null],
    ["https://user:password@queue.example.com/a", "https://base.example.com", null],
    ["http://169.254.169.254/latest", "http://127.0.0.1:9", null], // the clouds' metadata services
    ["http://2852039166/latest", "http://127.0.0.1:9", null],
    ["http://[::ffff:a9fe:a9fe]/latest", "http://127.0.0.1:9", null],
    ["http://[fd00:ec2::254]/latest", "http://127.0.0.1:9", null],
    ["http://100.100.100.200/latest", "http://127.0.0.1:9", null],
    ["http://0.0.0.0:9/a", "http://127.0.0.1:9", null], // no host at all
    ["http://0.0.0.0:9/a", "http://0.0.0.0:9/v1", "http://0.0.0.0:9/a"], // as the operator wrote it
    ["http://10.0.0.5:9/a", "http://127.0.0.1:9", "http://10.0.0.5:9/a"],
    ["http://[fd00::5]/a", "http://127.0.0.1:9", "http://[fd00::5]/a"],
    ["javascript:alert(1)", "http://base.example.com", null],
  ])("%s under %s: %s", (text, baseUrl, expected) => {
    expect(answeredAddress(text, providerAt(baseUrl))).toBe(expected);
  });

  test("none that is longer than any real one", () => {
    const provider = providerAt("http://base.example.com");
    const address = (length: number) => "https://queue.example.com/".padEnd(length, "a");
    expect(answeredAddress(address(2_048), provider)).toBe(address(2_048));
    expect(answeredAddress(address(2_049), provider)).toBeNull();
  });

  test("one that can't be called is our fault, and no call", async () => {
    await expect(useUpstream().send(requestTo("ftp://queue.example.com/a"))).rejects.toMatchObject({ fault: "our_fault" });
  });
});

describe("how many", () => {
  test("beyond the bound the longest unused pool is closed", async () => {
    const upstream = useUpstream({ answeredOrigins: 2 });
    const hosts = await Promise.all([1, 2, 3].map(() => startHost((_request, response) => response.end("ok"))));
    for (const at of [0, 1, 0, 2]) {
      await (await upstream.send(requestTo(`${hosts[at]!.url}/a`))).body.bytes(10);
      await until(() => upstream.gauge().calls === 0);
    }
    await until(() => hosts[1]!.sockets.size === 0);
    expect(hosts.map((host) => host.sockets.size)).toEqual([1, 0, 1]);
    expect(upstream.gauge()).toEqual({ calls: 0, waiting: 0, sockets: 2 });
  });

  test("while all are in use a further one is refused, and the catalog's own never is", async () => {
    const upstream = useUpstream({ answeredOrigins: 1 });
    const busy = await startHost(() => undefined);
    const other = await startHost((_request, response) => response.end("ok"));
    const stop = new AbortController();
    const held = upstream.send(requestTo(`${busy.url}/a`, { signal: stop.signal }));
    await until(() => busy.requests.length === 1);
    await expect(upstream.send(requestTo(`${other.url}/a`))).rejects.toMatchObject({ fault: "local_overload" });
    const named = await upstream.send(requestTo("/a", { provider: providerAt(other.url) }));
    expect((await named.body.bytes(10)).toString()).toBe("ok");
    // Its pool is there now, so that an answer may point to it too.
    await (await upstream.send(requestTo(`${other.url}/b`))).body.bytes(10);
    stop.abort();
    await expect(held).rejects.toMatchObject({ name: "AbortError" });
    await until(() => busy.sockets.size === 0 && upstream.gauge().calls === 0);
  });
});

test("work that takes longer than answers do has its own time to the first byte, never less than the provider's", async () => {
  const host = await startHost((_request, response) => void setTimeout(() => response.end("late"), 150));
  const upstream = useUpstream();
  const provider = providerAt(host.url, { timeoutMs: 50 });
  const late = await upstream.send(requestTo("/a", { provider, firstByteMs: 10_000 }));
  expect((await late.body.bytes(10)).toString()).toBe("late");
  await expect(upstream.send(requestTo("/a", { provider, firstByteMs: 10 }))).rejects.toMatchObject({ reason: "no answer within 50 ms" });
});
