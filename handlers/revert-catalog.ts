// POST /v1/operator/catalog/revert: the version of the catalog before the one in use.
import type { Handler } from "../src/operation.ts";
import { revertTo } from "../src/operators/catalog.ts";
import { actorOf } from "../src/operators/requests.ts";

export const revertCatalog: Handler<"revertCatalog"> = async (context, request) => {
  return { status: 200, body: await revertTo(context, actorOf(request), request.body) };
};
