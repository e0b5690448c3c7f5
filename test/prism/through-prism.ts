// One request of a test through Prism's proxy, and the rule of which go round it. What went where is noted for the run's
// end. In an ordinary run there is no Prism, and all go straight.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { Operation } from "../../generated/operations.ts";
import { type CollectedHead, type LeftRequest, ticketHeader } from "./desk.ts";

export interface Sent extends LeftRequest {
  body: string | Uint8Array<ArrayBuffer> | null;
  signal: AbortSignal | null;
}
export interface Received {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/**
 * Undefined: it goes straight to the gateway. Each reason is something that Prism can't carry; nothing else goes round.
 * Bad JSON, missing keys, odd paths, forms and sounds do go through, since the desk carries them (TOOLCHAIN.md 6).
 */
export function prismFor(method: string, operation: Operation | undefined, { signal, unchecked }: { signal: boolean; unchecked: boolean }) {
  const prism = inject("prism");
  if (prism === undefined) return undefined;
  const reason =
    operation === undefined
      ? "no operation: unknown path or method, about which Prism answers itself"
      : method === "HEAD"
        ? "HEAD, which the contract declares with GET and Prism refuses"
        : unchecked
          ? "an answer that no operation declares, and the test expects"
          : signal
            ? "the test breaks off, and Prism would not pass that on"
            : undefined;
  if (reason === undefined) return { ...prism, operation: operation! };
  note("went-round.txt", reason);
  return undefined;
}

type Prism = NonNullable<ReturnType<typeof prismFor>>;

/** Throws where Prism finds a fault in the answer, and as `fetch` does where the gateway breaks off. */
export async function askThroughPrism({ deskUrl, proxyUrl, operation }: Prism, { body, signal: _, ...request }: Sent): Promise<Received> {
  const left = await fetch(`${deskUrl}/leave`, { method: "POST", headers: { "x-test-request": JSON.stringify(request) }, body });
  const ticket = await left.text();
  // The request that Prism sees is a proper one; it judges answers here, and no request.
  const judged = await fetch(proxyUrl + operation.path.replaceAll(/\{\w+\}/g, "given"), {
    method: operation.method.toUpperCase(),
    headers: { [ticketHeader]: ticket, ...(operation.auth === "none" ? {} : { authorization: "Bearer any" }) },
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
