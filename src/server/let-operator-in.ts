// Lets operators in where they work. Anyone else gets the answer of an unknown path there, also with an API key; what changes something
// there needs a session that was confirmed lately.
import type { Operation } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";
import { findOperator, isAtLeast, type OperatorRole } from "../accounts/operators.ts";
import { ApiError, fail } from "../errors/fail.ts";
import { authenticate } from "./authenticate.ts";
import type { Edge, Exchange } from "./edge.ts";
import { failUnknown } from "./unknown-path.ts";

/** Sets the exchange's caller, for the log and the limits. */
export async function letOperatorIn(edge: Edge, exchange: Exchange, operation: Operation): Promise<void> {
  exchange.caller = (await identifyOperator(edge, exchange, operation)) ?? failUnknown(exchange);
}

/** Undefined: the caller is no operator. */
async function identifyOperator({ context }: Edge, exchange: Exchange, operation: Operation): Promise<Caller | undefined> {
  const { accounts, db, config, clock } = context;
  const caller = await isNoKey(async () => authenticate(accounts, operation, exchange.req.headers));
  if (caller?.session == null) return undefined;
  const operator = await findOperator(db, caller.session.hash, config.operators);
  if (operator === undefined) return undefined;
  if (config.operatorsNeedCode && !operator.gaveCode) fail("permission_denied", { text: { reason: byCode } });
  const needed = operation.operator as OperatorRole;
  if (!isAtLeast(operator.role, needed)) fail("permission_denied", { text: { reason: `it needs an operator with the role ${needed}` } });
  if (operation.errors.includes("confirmation_required") && operator.confirmedUntil <= clock()) fail("confirmation_required");
  return { ...caller, operator };
}

const byCode =
  "operators need a second factor here: turn it on with POST /v1/auth/totp, then sign in with a code or send one to POST /v1/auth/session/confirm";

/** Undefined where the credential is an API key. */
async function isNoKey(find: () => Promise<Caller>): Promise<Caller | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError && error.code === "session_required") return undefined;
    throw error;
  }
}
