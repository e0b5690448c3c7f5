// What makes an alert: a provider or route that fails, is passed over or disabled; a ledger that differs; accounts that owe money.
import type { OperatorLedger, OperatorProvider } from "svc-sdk";
import { count, usd } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";

export interface Alert {
  id: string;
  tone: "bad" | "warn";
  title: string;
  about: string;
  path: string;
}

/** Where the provider as a whole is in trouble, its routes say nothing more. */
export function alertsOfProvider(provider: OperatorProvider): Alert[] {
  const whole = alertOf(provider.id, provider, "closed");
  if (whole !== null && (provider.disabled !== null || provider.health === "failing")) return [whole];
  return provider.routes.flatMap((route) => alertOf(route.route, route, route.breaker) ?? []);
}

type Watched = Pick<OperatorProvider, "health" | "disabled" | "attempts" | "failures" | "causes">;

function alertOf(name: string, { health, disabled, attempts, failures, causes }: Watched, breaker: string): Alert | null {
  const base = { id: name, path: "providers" };
  if (disabled !== null)
    return { ...base, tone: "warn", title: `${name} is disabled`, about: `Until ${when(disabled.until)}: ${disabled.reason}` };
  const why = causes.map(({ cause }) => cause).join(", ");
  const failed = `${count(failures)} of ${count(attempts)} attempts in 5 minutes${why === "" ? "" : `: ${why}`}`;
  if (health === "failing") return { ...base, tone: "bad", title: `${name} fails`, about: failed };
  if (breaker === "open") return { ...base, tone: "bad", title: `${name} is passed over`, about: `Its breaker is open. ${failed}` };
  return health === "degraded" ? { ...base, tone: "warn", title: `${name} fails at times`, about: failed } : null;
}

export function alertsOfLedger({ audit, last_result, negative_accounts, negative_usd }: OperatorLedger): Alert[] {
  const path = "ledger";
  const alerts: Alert[] = [];
  if (last_result?.status === "differs")
    alerts.push({
      ...{ id: "ledger differs", path, tone: "bad", title: "The ledger differs from its entries" },
      about: `Found by the audit ${last_result.id}, ${when(last_result.ended_at)}`,
    });
  if (audit?.status === "failed")
    alerts.push({
      ...{ id: "audit failed", path, tone: "warn", title: "The last audit could not be finished" },
      about: `Started ${when(audit.started_at)}`,
    });
  if (negative_accounts > 0)
    alerts.push({
      ...{ id: "below 0", path, tone: "warn" },
      title: negative_accounts === 1 ? "1 account is below 0" : `${count(negative_accounts)} accounts are below 0`,
      about: `By ${usd(negative_usd)} in all`,
    });
  return alerts;
}
