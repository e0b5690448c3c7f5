// GET /v1/operator/settings: what the gateway runs with.
import { settingList } from "../src/operators/settings.ts";
import type { Handler } from "../src/operation.ts";

export const listOperatorSettings: Handler<"listOperatorSettings"> = async ({ db, settings: { environment }, catalog, publicUrl }) => {
  return { status: 200, body: await settingList(db, { environment, catalog, publicUrl }) };
};
