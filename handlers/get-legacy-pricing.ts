// GET /v1/credits/pricing: the older list of prices per token, whose headers name its replacement. src/catalog/price-rows.ts makes the rows.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", deprecation: "true", link: '</v1/pricing>; rel="successor-version"' };

export const getLegacyPricing: Handler<"getLegacyPricing"> = ({ catalog }) => ({
  status: 200,
  headers,
  bytes: answersOf(catalog).legacyPricing,
});
