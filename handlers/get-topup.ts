// GET /v1/credits/topup/{id}: one of the caller's top-ups. Another account's answers as one that never existed.
import { fail } from "../src/errors/fail.ts";
import { parseTopupId } from "../src/ids.ts";
import { findTopup, topupRecord } from "../src/payments/topups.ts";
import type { Handler } from "../src/operation.ts";

export const getTopup: Handler<"getTopup"> = async ({ db }, { caller, path }) => {
  const id = parseTopupId(path.id);
  const topup = id === undefined ? undefined : await findTopup(db, caller.accountId, id);
  if (topup === undefined) return fail("topup_not_found", { text: { id: path.id } });
  return { status: 200, body: topupRecord(topup) };
};
