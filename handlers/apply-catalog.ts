// POST /v1/operator/catalog/apply: another catalog for every process.
import type { Handler } from "../src/operation.ts";
import { applyText } from "../src/operators/catalog.ts";
import { actorOf } from "../src/operators/requests.ts";

export const applyCatalog: Handler<"applyCatalog"> = async (context, request) => {
  return { status: 200, body: await applyText(context, actorOf(request), request.body) };
};
