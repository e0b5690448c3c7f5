// Alerts: what an operator should look at now, with a link to where it is mended.
import { useQuery } from "@tanstack/react-query";
import type { OperatorProvider } from "svc-sdk";
import type { ReactNode } from "react";
import { count } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Empty, Loading } from "../../ui/parts.tsx";
import { OperatorLink } from "../address.tsx";
import { providersQuery } from "../queries.ts";

export interface Alert {
  id: string;
  tone: "bad" | "warn";
  title: string;
  about: string;
  path: string;
}

const mostShown = 20;

export function Alerts(): ReactNode {
  const { data, error, refetch } = useQuery(providersQuery);
  const alerts = data?.flatMap(alertsOf) ?? [];
  return (
    <Card title="Alerts" flush>
      {error !== null && <div className="p-5"><ErrorNote error={error} retry={() => void refetch()} /></div> /* prettier-ignore */}
      {data === undefined && error === null && <Loading what="Loading alerts" />}
      {data !== undefined && alerts.length === 0 && <Empty title="Nothing needs you">Every provider that was asked answers.</Empty>}
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

type Watched = Pick<OperatorProvider, "health" | "disabled" | "attempts" | "failures" | "causes">;

/** Where the provider as a whole is in trouble, its routes say nothing more. */
function alertsOf(provider: OperatorProvider): Alert[] {
  const whole = alertOf(provider.id, provider, "closed");
  if (whole !== null && (provider.disabled !== null || provider.health === "failing")) return [whole];
  return provider.routes.flatMap((route) => alertOf(route.route, route, route.breaker) ?? []);
}

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
