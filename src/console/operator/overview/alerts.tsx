// Alerts: what an operator should look at now, with a link to where it is mended.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { count } from "../../lib/money.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Empty, Loading } from "../../ui/parts.tsx";
import { OperatorLink } from "../address.tsx";
import { ledgerQuery, providersQuery } from "../queries.ts";
import { alertsOfLedger, alertsOfProvider } from "./alerts-of.ts";

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
      {whole && alerts.length === 0 && <Empty title="All is well">Every provider that was asked answers, and no balance is below 0.</Empty>}
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
