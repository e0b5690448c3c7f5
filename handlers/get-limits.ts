// GET /v1/auth/limits: the caller's limits, and the key's own where a key asks, and how much of them is used now. Counts nothing.
import type { components } from "../generated/api.d.ts";
import type { Caller } from "../src/accounts/caller.ts";
import { readKeySpending } from "../src/accounts/key-budgets.ts";
import { tierOf } from "../src/catalog/tiers.ts";
import type { Tier } from "../src/catalog/types.ts";
import type { Context } from "../src/context.ts";
import { keyIdText } from "../src/ids.ts";
import { always } from "../src/ledger/slice-ends.ts";
import { mediaSlots, sharesMediaPool } from "../src/limits/slots.ts";
import { type LimitUse, readKeyUse, readLimitUse } from "../src/limits/use.ts";
import { resetMs, usedOf } from "../src/limits/window.ts";
import type { Handler } from "../src/operation.ts";

const headers = { vary: "authorization, cookie" };

export const getLimits: Handler<"getLimits"> = async ({ catalog, db, ledger }, { caller }) => {
  const tier = tierOf(catalog, caller);
  const read = () => Promise.all([readLimitUse(db, caller.accountId), readKeyLimits(db, caller)]);
  const [{ requests, tokens, day, audio, jobs }, key] = await ledger.recalling(caller.accountId, read, always);
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
      ...(key === undefined ? {} : { key }),
    },
  };
};

function mediaUse(tier: Tier, kind: "image" | "video", jobs: LimitUse["jobs"]) {
  return { used: sharesMediaPool(tier) ? jobs.image + jobs.video : jobs[kind], limit: mediaSlots(tier, kind) };
}

async function readKeyLimits(
  db: Context["db"],
  { accountId, keyId, policy }: Caller,
): Promise<components["schemas"]["KeyLimitState"] | undefined> {
  if (keyId === null) return undefined;
  const [use, spending] = await Promise.all([readKeyUse(db, accountId, keyId), readKeySpending(db, keyId)]);
  if (spending === undefined) return undefined; // it has just been deleted
  const { rpm, tpm, expiresAtMs } = policy ?? { rpm: null, tpm: null, expiresAtMs: null };
  const { lifetime, period } = spending;
  return {
    id: keyIdText(keyId),
    rpm_limit: rpm,
    rpm_used: rpm === null ? null : usedOf(use.requests),
    tpm_limit: tpm,
    tpm_used: tpm === null ? null : usedOf(use.tokens),
    limit_usd: (period ?? lifetime).limit_usd,
    limit_resets: period?.resets ?? "never",
    remaining_usd: (period ?? lifetime).remaining_usd,
    limit_resets_at: period?.resets_at ?? null,
    lifetime_limit_usd: lifetime.limit_usd,
    lifetime_remaining_usd: lifetime.remaining_usd,
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
  };
}
