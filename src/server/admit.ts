// Whether the process can take one more request that does work, and its account one more of them: shed before a byte of the body is read
// and before memory grows. Reads aren't counted, so that accounts, operators and probes see what goes on.
import type { Operation } from "../../generated/operations.ts";
import { fail } from "../errors/fail.ts";
import type { Edge, Exchange } from "./edge.ts";

/** Those who are shed together must not come back together. */
const comeBackMs = { least: 3_000, spread: 5_000 };

/** Fails with overloaded. The place is given back when the exchange ends (edge.ts). */
export function admit(edge: Edge, exchange: Exchange, { method, errors }: Pick<Operation, "method" | "errors">): void {
  if (method === "get" || !errors.includes("overloaded")) return;
  // Who left while it was looked who they are has closed already: nothing would give the place back.
  if (exchange.gone) throw new Error("the client left before its request was admitted");
  if (!edge.work.take(exchange.holder, 1)) fail("overloaded", { retryAfterMs: comeBackMs.least + Math.random() * comeBackMs.spread });
  exchange.atWork = true;
}
