// POST /v1/operator/catalog/diff: how a catalog's text differs from the catalog in use.
import type { Handler } from "../src/operation.ts";
import { compareText } from "../src/operators/catalog.ts";

export const compareCatalog: Handler<"compareCatalog"> = async (context, { body }) => {
  return { status: 200, body: await compareText(context, body.text) };
};
