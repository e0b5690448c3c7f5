// A gateway's answers as Prism judges them, beside test/support's own checks: where TEST_PRISM is set, those of test/operations, in which each pair of
// operation and status is answered. Of a stream Prism sees the head and the end; the records are test/support's.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject } from "vitest";
import type { Operation } from "../../generated/operations.ts";
import { asciiJson, type AnswerHead, ticketHeader } from "./desk.ts";

export interface Received extends AnswerHead {
  bytes: Buffer;
}

/** In this process. */
const judged = new Set<string>();

/** Throws where Prism finds a fault. An answer that differs from an earlier one in texts and numbers alone is not judged again. */
export async function judgeByPrism(operation: Operation, received: Received, json: unknown): Promise<void> {
  const prism = inject("prism");
  if (prism === undefined || !expect.getState().testPath?.includes("/test/operations/")) return;
  const { status, headers, bytes } = received;
  const kind = JSON.stringify([operation.id, status, Object.keys(headers).sort(), headers["content-type"], shapeOf(json)]);
  if (judged.has(kind)) return;
  judged.add(kind);
  const left = await fetch(`${prism.deskUrl}/leave`, {
    method: "POST",
    headers: { "x-test-head": asciiJson({ status, headers }) },
    body: bytes,
  });
  // The request that Prism sees is a proper one; it judges answers here, and no request. Each has a connection of its own: Prism closes those
  // that are idle for 5 s, also in the moment in which a busy process sends on one.
  const answer = await fetch(prism.proxyUrl + operation.path.replaceAll(/\{\w+\}/g, "given"), {
    method: operation.method.toUpperCase(),
    headers: {
      [ticketHeader]: await left.text(),
      connection: "close",
      ...(operation.auth === "none" ? {} : { authorization: "Bearer any" }),
    },
  });
  const verdict = await answer.text();
  const violations = answer.headers.get("sl-violations");
  if (violations !== null || answer.status !== status)
    throw new Error(
      `Prism on ${operation.id} ${status}: ${violations ?? `${answer.status} ${verdict}`}\n${bytes.toString().slice(0, 1000)}`,
    );
  appendFileSync(join(inject("runFolder"), "judged.txt"), `${operation.id} ${status}\n`); // short enough to be written whole by several processes at once
}

/** Fields and kinds of values, and the words that may be one of a few. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((each) => JSON.stringify(shapeOf(each))))].sort();
  if (value !== null && typeof value === "object")
    return Object.entries(value)
      .map(([name, each]) => [name, shapeOf(each)])
      .sort();
  if (typeof value === "string") return /^[a-z_.]{1,40}$/.test(value) ? value : "";
  return value === null ? null : typeof value;
}
