// A real HTTP server that answers as a test says, and an upstream client that calls it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach } from "vitest";
import { connectUpstreams } from "../../src/providers/transport/http.ts";
import type { Upstream, UpstreamLimits } from "../../src/providers/transport/types.ts";
import type { Provider, Route } from "../../src/providers/types.ts";

export interface Host {
  url: string;
  /** Sockets that are open at the host's end. */
  sockets: Set<Socket>;
  requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const cleanups: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export async function startHost(answer: Answer): Promise<Host> {
  const host: Host = { url: "", sockets: new Set(), requests: [] };
  const server: Server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      host.requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      answer(request, response, body);
    });
    request.on("error", () => undefined);
    response.on("error", () => undefined);
  });
  server.on("connection", (socket) => {
    host.sockets.add(socket);
    socket.on("close", () => host.sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return host;
}

export function useUpstream(limits: Partial<UpstreamLimits> = {}): Upstream {
  const upstream = connectUpstreams(limits);
  cleanups.push(() => upstream.close());
  return upstream;
}

export function providerAt(baseUrl: string, change: Partial<Provider> = {}): Provider {
  return {
    id: "demo",
    protocol: "openai",
    baseUrl,
    apiKey: "sk-demo-secret-0001",
    headers: {},
    forward: [],
    timeoutMs: 60_000,
    onDisconnect: null,
    ...change,
  };
}

export function routeTo(baseUrl: string, change: Partial<Provider> = {}): Route {
  return { provider: providerAt(baseUrl, change), model: "upstream-model", reducedPrecision: null, thinking: "budget", cost: null };
}
