// Alerts: what an operator should look at now, with a link to where it is mended: a provider or route that fails, is passed over or
// disabled; a ledger that differs; accounts that owe money.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { OperatorLedger, OperatorProvider } from "svc-sdk";
import { count, usd } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Empty, Loading } from "../../ui/parts.tsx";
import { OperatorLink } from "../address.tsx";
import { ledgerQuery, providersQuery } from "../queries.ts";

const mostShown = 20;

export function Alerts(): ReactNode {
  const [providers, ledger] = [useQuery(providersQuery), useQuery({ ...ledgerQuery, refetchInterval: 60_000 })];
  const alerts = [...(ledger.data === undefined ? [] : alertsOfLedger(ledger.data)), ...(providers.data?.flatMap(alertsOfProvider) ?? [])];
  const [whole, error] = [providers.data !== undefined && ledger.data !== undefined, providers.error ?? ledger.error];
  const again = () => void Promise.all([providers.refetch(), ledger.refetch()]);
  return (
    <Card title="Alerts" flush>
      {error !== null && <div className="p-5"><ErrorNote error={error} retry={again} /></div> /* prettier-ignore */}
      {!whole && error === null && <Loading what="Loading alerts" />}
      {whole && alerts.length === 0 && (
        <Empty title="All is well">Every provider that was called is answering, and no balance is below 0.</Empty>
      )}
      <ul className="divide-y divide-line">
        {alerts.slice(0, mostShown).map((alert) => (
          <li key={alert.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-5 py-3">
            <Badge tone={alert.tone}>{alert.tone === "bad" ? "Now" : "Watch"}</Badge>
            <OperatorLink path={alert.path}>{alert.title}</OperatorLink>
            <span className="min-w-0 break-words text-quiet">{alert.about}</span>
          </li>
        ))}
      </ul>
      {alerts.length > mostShown && <p className="px-5 py-3 text-quiet">And {count(alerts.length - mostShown)} more.</p>}
    </Card>
  );
}

interface Alert {
  id: string;
  tone: "bad" | "warn";
  title: string;
  about: string;
  path: string;
}

/** Where the provider as a whole is in trouble, its routes say nothing more. */
function alertsOfProvider(provider: OperatorProvider): Alert[] {
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
  if (breaker === "open") return { ...base, tone: "bad", title: `${name} is being skipped`, about: `Its breaker is open. ${failed}` };
  return health === "degraded" ? { ...base, tone: "warn", title: `${name} fails at times`, about: failed } : null;
}

function alertsOfLedger({ audit, last_result, negative_accounts, negative_usd }: OperatorLedger): Alert[] {
  const path = "ledger";
  const alerts: Alert[] = [];
  if (last_result?.status === "differs")
    alerts.push({
      ...{ id: "ledger differs", path, tone: "bad", title: "The ledger differs from its entries" },
      about: `Found by the audit ${last_result.id}, ${when(last_result.ended_at)}`,
    });
  if (audit?.status === "failed")
    alerts.push({
      ...{ id: "audit failed", path, tone: "warn", title: "The last audit did not finish" },
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
