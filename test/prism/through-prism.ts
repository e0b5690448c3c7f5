// One request of a test through Prism's proxy. What went through and what round is noted for the run's end. In an ordinary
// run there is no Prism, and all go straight.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { Operation } from "../../generated/operations.ts";
import { asciiJson, type CollectedHead, type LeftRequest, ticketHeader } from "./desk.ts";
import { reasonToGoRound } from "./scope.ts";

interface Through {
  proxyUrl: string;
  deskUrl: string;
}

export interface Sent extends LeftRequest {
  body: string | Uint8Array<ArrayBuffer> | null;
  signal: AbortSignal | null;
}
export interface Received {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Undefined: it goes straight to the gateway. */
export function prismFor(
  method: string,
  operation: Operation | undefined,
  how: { aborts: boolean; undeclared: boolean },
): (Through & { operation: Operation }) | undefined {
  const prism = inject("prism");
  if (prism === undefined) return undefined;
  const reason = reasonToGoRound(method, operation, how);
  if (reason === undefined) return { ...prism, operation: operation! };
  note("went-round.txt", reason);
  return undefined;
}

/** Throws where Prism finds a fault in the answer, and as `fetch` does where the gateway breaks off. */
export async function askThroughPrism(
  { deskUrl, proxyUrl, operation }: Through & { operation: Operation },
  { body, signal: _, ...request }: Sent,
): Promise<Received> {
  const left = await fetch(`${deskUrl}/leave`, { method: "POST", headers: { "x-test-request": asciiJson(request) }, body });
  const ticket = await left.text();
  // The request that Prism sees is a proper one; it judges answers here, and no request. Each has a connection of its own: Prism closes those
  // that are idle for 5 s, also in the moment in which a busy process sends on one.
  const judged = await fetch(proxyUrl + operation.path.replaceAll(/\{\w+\}/g, "given"), {
    method: operation.method.toUpperCase(),
    headers: { [ticketHeader]: ticket, connection: "close", ...(operation.auth === "none" ? {} : { authorization: "Bearer any" }) },
  });
  const verdict = await judged.text();
  const collected = await fetch(`${deskUrl}/collect/${ticket}`);
  const bytes = Buffer.from(await collected.arrayBuffer());
  const head = JSON.parse(collected.headers.get("x-test-head")!) as CollectedHead;
  if (head === null) {
    note("went-through.txt", `${operation.id} broke off`);
    throw new TypeError("terminated");
  }
  const violations = judged.headers.get("sl-violations");
  if (violations !== null || judged.status !== head.status)
    throw new Error(
      `Prism on ${operation.id} ${head.status}: ${violations ?? `${judged.status} ${verdict}`}\n${bytes.toString().slice(0, 1000)}`,
    );
  note("went-through.txt", `${operation.id} ${head.status}`);
  return { ...head, bytes };
}

/** A line is short enough to be written whole by several processes at once. */
function note(file: string, line: string): void {
  appendFileSync(join(inject("runFolder"), file), `${line}\n`);
}
