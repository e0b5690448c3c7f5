// The handler of every operation that is built; those of spec/not-built.json answer 501 at the edge.
import type { Handlers } from "../src/server/types.ts";
import { createChatCompletion } from "./create-chat-completion.ts";
import { getCreditBalance } from "./get-credit-balance.ts";
import { getLegacyPricing } from "./get-legacy-pricing.ts";
import { getModel } from "./get-model.ts";
import { getPricing } from "./get-pricing.ts";
import { listModels } from "./list-models.ts";
import { listTiers } from "./list-tiers.ts";
import { recommendModels } from "./recommend-models.ts";

export const handlers: Handlers = {
  createChatCompletion,
  getCreditBalance,
  getLegacyPricing,
  getModel,
  getPricing,
  listModels,
  listTiers,
  recommendModels,
};
