// The handlers of stored files beside their upload: list, read, content, delete. The steps are in src/batches/files.ts.
import { deleteFile, findFile, listFiles, openContent, shownFile } from "../src/batches/files.ts";
import { fail } from "../src/errors/fail.ts";
import { fileIdText } from "../src/ids.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handlers } from "../src/operation.ts";

/** The contract's default: the edge's validator does not fill it in. */
const limitDefault = 1000;

export const fileHandlers: Pick<Handlers, "listFiles" | "getFile" | "getFileContent" | "deleteFile"> = {
  async listFiles(context, { caller: { accountId }, query }) {
    const { limit = limitDefault, order = "desc", purpose, after } = query;
    const { rows, hasMore } = await pageOf(limit, (most) => listFiles(context, accountId, { purpose, after, order }, most));
    const data = rows.map(shownFile);
    return {
      status: 200,
      body: { object: "list", data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null },
    };
  },
  getFile: async (context, { caller: { accountId }, path }) => ({
    status: 200,
    body: shownFile(await findFile(context, accountId, path.id)),
  }),
  async getFileContent(context, { caller: { accountId }, path }, { signal }) {
    const { id, bytes } = await findFile(context, accountId, path.id);
    const file = (await openContent(context, id)) ?? fail("file_not_found", { text: { id: fileIdText(id) } });
    return {
      status: 200,
      headers: { "content-type": "application/octet-stream", "content-length": String(bytes) },
      async stream(sink) {
        const stop = () => file.stream.destroy();
        signal.addEventListener("abort", stop, { once: true });
        let left = bytes;
        for await (const chunk of file.stream as AsyncIterable<Buffer>) {
          left -= chunk.length;
          if (left < 0) break;
          await sink.write(chunk);
        }
        // Its length is already sent: a byte more or less would be taken for a part of the next answer.
        if (left !== 0 && !signal.aborted) throw new Error("the store gave a file with another length than it had told");
      },
    };
  },
  async deleteFile(context, { caller: { accountId }, path }) {
    await deleteFile(context, accountId, path.id);
    return { status: 200, body: { id: path.id, object: "file", deleted: true } };
  },
};
