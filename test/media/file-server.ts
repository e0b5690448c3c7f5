// A file server for the tests of src/media, with TLS and its own certificate or without, and the names that resolve to it.
import { readFileSync, readdirSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { ResolveName } from "../../src/media/fetch-policy.ts";
import { scratchFolder } from "../support/leftovers.ts";

export const fixture = (name: string): Buffer => readFileSync(fixturePath(name));
export const fixturePath = (name: string): string => fileURLToPath(new URL(`files/${name}`, import.meta.url));

/** For files.test, other.test, localhost and the loopback addresses. */
export const ca = fixture("tls-certificate.pem").toString();

export type Serve = (req: IncomingMessage, res: ServerResponse) => void;

export interface FileServer {
  port: number;
  /** What was asked for, oldest first. */
  requests: { url: string; headers: IncomingMessage["headers"] }[];
  connections(): number;
  close(): Promise<void>;
}

export async function startFileServer(serve: Serve, { plain = false } = {}): Promise<FileServer> {
  const requests: FileServer["requests"] = [];
  let connections = 0;
  const answer: Serve = (req, res) => {
    requests.push({ url: req.url!, headers: req.headers });
    serve(req, res);
  };
  const server = plain ? createPlainServer(answer) : createServer({ key: fixture("tls-key.pem"), cert: ca }, answer);
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers every name from the table, and remembers the questions. */
export function resolver(names: Record<string, string[]>): ResolveName & { asked: string[] } {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    const addresses = names[name];
    if (addresses === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  return Object.assign(resolve, { asked });
}

export function newFolder(): { folder: string; names: () => string[] } {
  const folder = scratchFolder("svc-media-");
  return { folder, names: () => readdirSync(folder) };
}
