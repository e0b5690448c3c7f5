// POST /v1/operator/catalog/check: what is wrong in a catalog's text.
import type { Handler } from "../src/operation.ts";
import { checkText } from "../src/operators/catalog.ts";

export const checkCatalog: Handler<"checkCatalog"> = async (_context, { body }) => {
  return { status: 200, body: await checkText(body.text) };
};
