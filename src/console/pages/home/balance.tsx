// The balance, and what it came from.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { usd, usdShort } from "../../lib/money.ts";
import { balanceQuery } from "../../lib/queries.ts";
import { useMay } from "../../lib/rights.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Facts, Loading } from "../../ui/parts.tsx";

export function Balance(): ReactNode {
  const mayPay = useMay("pay") !== false;
  const { data, error, refetch } = useQuery(balanceQuery);
  return (
    <Card title="Balance" actions={data !== undefined && <Badge tone="accent">{data.tier_name}</Badge>}>
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the balance" />}
      {data !== undefined && (
        <div className="space-y-4">
          <p className="figures text-4xl font-semibold tracking-tight" title={usd(data.balance)}>
            {data.read_ok ? usdShort(data.balance) : "Could not be read"}
          </p>
          {data.nudge !== null && <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">{data.nudge.message}</p>}
          <Facts
            rows={[
              ["Added", usdShort(data.lifetime_purchased)],
              ["Granted", usdShort(data.lifetime_earned)],
              ["Spent", usdShort(data.lifetime_spent)],
            ]}
          />
          <ButtonLink kind={mayPay ? "primary" : "plain"} to="/credit">
            {mayPay ? "Add credit" : "See credit"}
          </ButtonLink>
        </div>
      )}
    </Card>
  );
}
