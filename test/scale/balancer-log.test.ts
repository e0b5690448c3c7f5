// What nginx writes down, by the very file of deploy/nginx: keys stand in paths, and what it says of a gateway that fails it says with the
// request's own line. And what it tells browsers where it speaks TLS.
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { request } from "node:https";
import { afterEach, describe, expect, test } from "vitest";
import { fixturePath } from "../media/file-server.ts";
import { eventually } from "../support/eventually.ts";
import { needTool } from "../support/find-tool.ts";
import { freePort } from "../support/free-port.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

const nginx = needTool("nginx");
let balancer: Balancer | undefined;
let gateway: Server | undefined;
afterEach(async () => {
  await balancer?.stop();
  gateway?.closeAllConnections();
  await new Promise((resolve) => (gateway === undefined ? resolve(null) : gateway.close(resolve)));
});

/** One that answers with an id of its own, or breaks every connection off. */
async function startGateway(breaks: boolean): Promise<number> {
  gateway = createServer((req, res) => (breaks ? void req.socket.destroy() : void res.setHeader("x-request-id", "req_own").end("{}")));
  await new Promise<void>((resolve) => gateway!.listen(0, "127.0.0.1", resolve));
  return (gateway.address() as AddressInfo).port;
}

/** nginx writes a line after its answer has gone. */
const written = (line: RegExp): Promise<void> => eventually(() => expect(balancer!.log()).toMatch(line));

const secret = "Live0123456789abcdefghij";
const asked: [path: string, headers?: Record<string, string>][] = [
  [`/v1/auth/keys/svc_${secret}`],
  [`/v1/auth/keys/%73vc_${secret}`],
  [`/v1/auth/keys/svc%5F${secret}`],
  [`/v1/auth//keys/svc_${secret}`],
  [`/v1/auth/keyz/SVC_${secret}`],
  [`/v1/models/svcs_${secret}/x`],
  [`/v1/auth/keyz%0Asvc_${secret}`],
  [`/media/${secret}.png`],
  [`/%6dedia/${secret}.png`],
  [`/v1/auth/usage/logs?key=svc_${secret}`],
  [`/v1/models?api_key=svc_${secret}`],
  ["/v1/models", { referer: `https://app.example.com/?key=svc_${secret}`, authorization: `Bearer svc_${secret}` }],
];

describe.skipIf(nginx === null)("nginx", () => {
  test.each([
    ["serve", false, 200],
    ["break every call off", true, 503],
  ] as const)("no key and no file's name is in any log of it, while gateways %s", async (_, breaks, status) => {
    const port = await startGateway(breaks);
    balancer = await startBalancer(nginx!, [port, await freePort(), await freePort()]);
    for (const [path, headers = {}] of asked)
      for (const method of ["DELETE", "GET"]) expect((await fetch(balancer.url + path, { method, headers })).status).toBe(status);
    await eventually(() => expect(balancer!.log().match(new RegExp(`"(DELETE|GET) .*" ${status} `, "g"))).toHaveLength(2 * asked.length));
    const log = balancer.log();
    expect(log).not.toContain(secret);
    expect(log).toContain('"DELETE /v1/auth/keys/..."');
    expect(log).toContain('"GET /media/..."');
    expect(log).toContain('"GET /v1/auth/keyz/svc_..."');
    expect(log).toContain('"GET /v1/models"');
  });

  test("the id in its log is the one that the answer has", async () => {
    balancer = await startBalancer(nginx!, [await startGateway(false), await freePort(), await freePort()]);
    expect((await fetch(`${balancer.url}/v1/models`, { headers: { "x-request-id": "mine-1" } })).headers.get("x-request-id")).toBe(
      "req_own",
    );
    await written(/"GET \/v1\/models" 200 .* req_own\n/);
    gateway!.closeAllConnections();
    await new Promise((resolve) => gateway!.close(resolve));
    await fetch(`${balancer.url}/v1/models`, { headers: { "x-request-id": "mine-2" } });
    await written(/"GET \/v1\/models" 50[234] .* mine-2\n/);
  });

  test("over TLS every answer, its own too, tells browsers to come back over TLS; without TLS none does", async () => {
    const certificate = [fixturePath("tls-certificate.pem"), fixturePath("tls-key.pem")] as const;
    balancer = await startBalancer(nginx!, [await startGateway(false), await freePort(), await freePort()], certificate);
    for (const path of ["/v1/models", "/metrics"]) {
      expect([path, await transportSecurity(balancer.secureUrl! + path)]).toEqual([path, "max-age=31536000"]);
      expect((await fetch(balancer.url + path)).headers.get("strict-transport-security")).toBeNull();
    }
    gateway!.closeAllConnections();
    await new Promise((resolve) => gateway!.close(resolve));
    expect(await transportSecurity(`${balancer.secureUrl}/v1/models`)).toBe("max-age=31536000");
    expect((await fetch(`${balancer.url}/v1/models`)).headers.get("x-content-type-options")).toBe("nosniff");
  });
});

function transportSecurity(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = request(url, { rejectUnauthorized: false }, (reply) => {
      reply.resume();
      resolve(reply.headers["strict-transport-security"]);
    });
    call.on("error", reject).end();
  });
}
