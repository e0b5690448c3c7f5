// POST /v1/files. The steps are in src/batches/files.ts.
import { shownFile, storeFile } from "../src/batches/files.ts";
import type { Handler } from "../src/operation.ts";

export const createFile: Handler<"createFile"> = async (context, { caller: { accountId }, form }) => {
  const { fields, file } = form!;
  const { path, bytes, name } = file;
  return { status: 200, body: shownFile(await storeFile(context, { accountId, purpose: fields.purpose, filename: name, path, bytes })) };
};
