// POST /v1/files. The steps are in src/batches/files.ts.
import { shownFile, storeFile } from "../src/batches/files.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

export const createFile: Handler<"createFile"> = async (context, { caller: { accountId }, form }) => {
  const { fields, file } = form!;
  const { path, bytes, name } = file;
  const { purpose, "expires_after[anchor]": anchor, "expires_after[seconds]": keptSeconds } = fields;
  if ((anchor === undefined) !== (keptSeconds === undefined)) {
    const param = `expires_after[${anchor === undefined ? "anchor" : "seconds"}]`;
    fail("missing_parameter", { param, text: { param } });
  }
  return { status: 200, body: shownFile(await storeFile(context, { accountId, purpose, filename: name, path, bytes, keptSeconds })) };
};
