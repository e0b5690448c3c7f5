// What nginx says by itself, by the very file of deploy/nginx, and the largest body that it passes on.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { needTool } from "../support/find-tool.ts";
import { freePort } from "../support/free-port.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

const nginx = needTool("nginx");
let balancer: Balancer | undefined;
afterEach(() => balancer?.stop());

describe.skipIf(nginx === null)("nginx alone", () => {
  test("413 request_too_large: a body that no operation takes is refused before any of it is gathered on its disk", async () => {
    balancer = await startBalancer(nginx!, [await freePort(), await freePort(), await freePort()]);
    const { status, id, json } = await announce(`${balancer.url}/v1/chat/completions`, 64 * 1024 * 1024 + 1, "mine-1");
    expect([status, id]).toEqual([413, "mine-1"]);
    expect(json).toMatchObject({ error: { code: "request_too_large", type: "request_too_large", retryable: false, request_id: "mine-1" } });
  });

  test("every answer says nosniff, once: a gateway's, and what nginx says itself", async () => {
    const gateway = createServer((_, res) => res.setHeader("x-content-type-options", "nosniff").end("{}"));
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
    const { port } = gateway.address() as AddressInfo;
    balancer = await startBalancer(nginx!, [port, await freePort(), await freePort()]);
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const reply = await fetch(balancer!.url + path, { headers });
      return [reply.status, reply.headers.get("x-content-type-options")];
    };
    const long = "a".repeat(40_000);
    expect(await ask("/v1/models")).toEqual([200, "nosniff"]);
    expect(await ask("/v1/files")).toEqual([200, "nosniff"]);
    expect(await ask("/metrics")).toEqual([404, "nosniff"]);
    expect(await ask("/v1/models", { "x-long": long })).toEqual([400, "nosniff"]);
    expect(await ask(`/v1/${long}`)).toEqual([414, "nosniff"]);
    gateway.closeAllConnections();
    await new Promise((resolve) => gateway.close(resolve));
    expect(await ask("/v1/models")).toEqual([503, "nosniff"]);
  });

  test("a file of batches may be larger than other bodies, and is bounded, too", async () => {
    balancer = await startBalancer(nginx!, [await freePort(), await freePort(), await freePort()]);
    const { status, json } = await announce(`${balancer.url}/v1/files`, 128 * 1024 * 1024 + 1, "mine-2");
    expect([status, json]).toMatchObject([413, { error: { message: "The request is too large: at most 128 MB are taken." } }]);
    const other = await announce(`${balancer.url}/v1/batches`, 64 * 1024 * 1024 + 1, "mine-3");
    expect([other.status, other.json]).toMatchObject([413, { error: { message: "The request is too large: at most 64 MB are taken." } }]);
  });

  test("a file of 70 MB reaches a gateway whole, with the headers that every request has", async () => {
    const heard = Promise.withResolvers<{ bytes: number; id: unknown; proto: unknown }>();
    const gateway = createServer((req, res) => {
      let bytes = 0;
      req.on("data", (chunk: Buffer) => (bytes += chunk.length));
      req.on("end", () => {
        heard.resolve({ bytes, id: req.headers["x-request-id"], proto: req.headers["x-forwarded-proto"] });
        res.end();
      });
    });
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
    const { port } = gateway.address() as AddressInfo;
    balancer = await startBalancer(nginx!, [port, await freePort(), await freePort()]);
    const body = Buffer.alloc(70_000_000);
    expect((await fetch(`${balancer.url}/v1/files`, { method: "POST", headers: { "x-request-id": "mine-4" }, body })).status).toBe(200);
    expect(await heard.promise).toEqual({ bytes: body.length, id: "mine-4", proto: "http" });
    gateway.closeAllConnections();
    await new Promise((resolve) => gateway.close(resolve));
  });

  test("an id that the gateway would not take is not taken here, so that both name one", async () => {
    balancer = await startBalancer(nginx!, [await freePort(), await freePort(), await freePort()]);
    for (const id of ["mine:1", "a".repeat(129)]) {
      const reply = await fetch(`${balancer.url}/v1/models`, { headers: { "x-request-id": id } });
      expect(reply.status).toBe(503);
      expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    }
  });
});

/** The answer to a POST that says how long its body is and sends nothing of it. */
function announce(url: string, bytes: number, requestId: string): Promise<{ status: number; id: unknown; json: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-length": bytes, "content-type": "application/json", "x-request-id": requestId };
    const call = request(url, { method: "POST", headers }, (reply) => {
      let text = "";
      reply.on("data", (piece: Buffer) => (text += piece));
      reply.once("end", () => {
        call.destroy();
        resolve({ status: reply.statusCode!, id: reply.headers["x-request-id"], json: JSON.parse(text) });
      });
    });
    call.once("error", reject).flushHeaders();
  });
}
