// DELETE /v1/response-cache: the workspace's kept answers are gone.
import { purgeKept } from "../src/ledger/kept-answers.ts";
import type { Handler } from "../src/operation.ts";

export const purgeResponseCache: Handler<"purgeResponseCache"> = async ({ db }, { caller: { accountId } }) => ({
  status: 200,
  body: { object: "response_cache.purged", deleted: await purgeKept(db, accountId) },
});
