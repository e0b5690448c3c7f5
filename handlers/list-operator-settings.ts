// GET /v1/operator/settings: what the gateway runs with.
import { listSettings } from "../src/operators/settings.ts";
import type { Handler } from "../src/operation.ts";

export const listOperatorSettings: Handler<"listOperatorSettings"> = ({ config, catalog, publicUrl }) => {
  return { status: 200, body: { object: "list", data: listSettings({ config, catalog, publicUrl }) } };
};
