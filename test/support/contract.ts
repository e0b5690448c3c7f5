// Holds every reply of a test against the OpenAPI document of version 3.2, and notes which errors the run has seen.
// Reads nothing of the server, so that a fault of both can't hide; the comparing is contract-checker.ts.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { toVersion32 } from "../../src/docs/contract.ts";
import { createChecker, type ReplyToCheck } from "./contract-checker.ts";

/** Every fault of a reply, notes nothing. */
export const faultsOf: (operationId: string, reply: ReplyToCheck) => string[] = createChecker(
  toVersion32(JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8")) as object),
);

/** Throws with every fault found. */
export function checkReply(operationId: string, reply: ReplyToCheck): void {
  const faults = faultsOf(operationId, reply);
  if (faults.length > 0) {
    const body = reply.bodyText?.slice(0, 2000) ?? "";
    throw new Error(`${operationId} ${reply.status} differs from the contract:\n- ${faults.join("\n- ")}\n${body}`);
  }
  if (reply.status >= 400 && reply.bodyText !== undefined) recordError(operationId, reply.status, reply.bodyText);
}

/** For error-coverage.ts. A line is short enough to be written whole by several processes at once. */
function recordError(operationId: string, status: number, bodyText: string): void {
  let body: { error?: { code?: string | null; type?: string } | string; details?: { code?: string } };
  try {
    body = JSON.parse(bodyText) as typeof body;
  } catch {
    return;
  }
  const shown = typeof body.error === "object" ? (body.error.code ?? body.error.type) : body.details?.code;
  if (shown) appendFileSync(join(inject("runFolder"), "reached-errors.txt"), `${operationId} ${status} ${shown}\n`);
}
