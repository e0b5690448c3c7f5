// The handlers of batches: create, list, read, cancel. The steps are in src/batches/batches.ts.
import { cancelBatch, createBatch, findBatch, listBatches, shownBatch } from "../src/batches/batches.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handlers } from "../src/operation.ts";

/** The contract's default: the edge's validator does not fill it in. */
const limitDefault = 20;

export const batchHandlers: Pick<Handlers, "createBatch" | "listBatches" | "getBatch" | "cancelBatch"> = {
  async createBatch(context, { caller, body }) {
    const { input_file_id: inputFileId, endpoint, metadata = null, output_expires_after: expiry } = body;
    const keptSeconds = expiry?.seconds ?? null;
    return { status: 200, body: shownBatch(await createBatch(context, { caller, inputFileId, endpoint, metadata, keptSeconds })) };
  },
  async listBatches({ db }, { caller: { accountId }, query: { after, limit = limitDefault } }) {
    const { rows, hasMore } = await pageOf(limit, (most) => listBatches(db, accountId, after, most));
    const data = rows.map(shownBatch);
    return {
      status: 200,
      body: { object: "list", data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null },
    };
  },
  getBatch: async ({ db }, { caller: { accountId }, path }) => ({ status: 200, body: shownBatch(await findBatch(db, accountId, path.id)) }),
  cancelBatch: async (context, { caller: { accountId }, path }) => ({
    status: 200,
    body: shownBatch(await cancelBatch(context, accountId, path.id)),
  }),
};
