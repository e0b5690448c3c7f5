// GET /v1/operator/ledger: the ledger as it stands.
import type { Handler } from "../src/operation.ts";
import { showLedger } from "../src/operators/ledger.ts";

export const getOperatorLedger: Handler<"getOperatorLedger"> = async (context) => {
  return { status: 200, body: await showLedger(context) };
};
