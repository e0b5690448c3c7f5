// GET /v1/auth/limits: the caller's limits and how much of them is used now. Counts nothing.
import { tierOf } from "../src/catalog/tiers.ts";
import type { Tier } from "../src/catalog/types.ts";
import { always } from "../src/ledger/slice-ends.ts";
import { mediaSlots, sharesMediaPool } from "../src/limits/slots.ts";
import { type LimitUse, readLimitUse } from "../src/limits/use.ts";
import { resetMs, usedOf } from "../src/limits/window.ts";
import type { Handler } from "../src/operation.ts";

const headers = { vary: "authorization, cookie" };

export const getLimits: Handler<"getLimits"> = async ({ catalog, db, ledger }, { caller }) => {
  const tier = tierOf(catalog, caller.purchased);
  const { requests, tokens, day, audio, jobs } = await ledger.recalling(caller.accountId, () => readLimitUse(db, caller.accountId), always);
  const used = usedOf(requests);
  const remaining = Math.max(0, tier.rpm - used);
  return {
    status: 200,
    headers,
    body: {
      rpm_limit: tier.rpm,
      rpm_used: used,
      rpm_remaining: remaining,
      has_credits: caller.purchased > 0n,
      used_today: day.current,
      remaining,
      resets_at: new Date(requests.atMs + resetMs(requests)).toISOString(),
      tier: tier.tier,
      tier_name: tier.name,
      tpm_limit: tier.tpm,
      tpm_used: usedOf(tokens),
      per_model_rpm: tier.per_model_rpm,
      concurrent: {
        image: mediaUse(tier, "image", jobs),
        video: mediaUse(tier, "video", jobs),
        audio: { used: audio, limit: tier.audio_concurrent },
      },
    },
  };
};

function mediaUse(tier: Tier, kind: "image" | "video", jobs: LimitUse["jobs"]) {
  return { used: sharesMediaPool(tier) ? jobs.image + jobs.video : jobs[kind], limit: mediaSlots(tier, kind) };
}
