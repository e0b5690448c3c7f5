// GET /v1/operator/providers: the catalog's providers and routes, how they work and what they bring in.
import type { Handler } from "../src/operation.ts";
import { listProviders as readProviders } from "../src/operators/providers.ts";

export const listProviders: Handler<"listProviders"> = async (context) => {
  return { status: 200, body: { object: "list", data: await readProviders(context) } };
};
