// The attempts of a call with what customers don't see: the route, why it failed, the provider's words and cost.
import type { OperatorAttempt, RouteScore } from "svc-sdk";
import type { ReactNode } from "react";
import { usd } from "../../lib/money.ts";
import { duration } from "../../lib/time.ts";
import { Region } from "../../pages/logs/receipt-parts.tsx";
import { Badge, Facts } from "../../ui/parts.tsx";

export function CallAttempts({ attempts }: { attempts: readonly OperatorAttempt[] }): ReactNode {
  return (
    <Region title="Attempts">
      {attempts.length === 0 && <p className="p-4 text-quiet">No provider was called.</p>}
      <ol className="divide-y divide-line">
        {attempts.map((attempt, index) => (
          <li key={index} className="space-y-2 px-4 py-3">
            <Attempt attempt={attempt} />
          </li>
        ))}
      </ol>
    </Region>
  );
}

function Attempt({ attempt }: { attempt: OperatorAttempt }): ReactNode {
  const { route, model, outcome, status, latency_ms, response_id, cause, detail, choice, cost_usd } = attempt;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium break-all">{route}</span>
        <Badge tone={outcome === "ok" ? "good" : "bad"}>{outcome}</Badge>
        {status !== null && <span className="text-quiet">HTTP {status}</span>}
        <span className="figures ml-auto">{duration(latency_ms)}</span>
      </div>
      <Facts
        rows={[
          ["Model", model],
          ...(choice === undefined ? [] : [[`Routes by ${choice.by}`, choice.routes.map(scored).join(", ")] as const]),
          ...(cause === null ? [] : [["Cause", cause] as const]),
          ...(detail === null ? [] : [["Provider's words", detail] as const]),
          ...(response_id === null ? [] : [["Provider's id", response_id] as const]),
          ["Provider's cost", usd(cost_usd)],
        ]}
      />
    </>
  );
}

function scored({ route, score }: RouteScore): string {
  return score === null ? route : `${route} ${score}`;
}
