// The balance as the ledger has it, to the last digit.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { usd, usdShort } from "../../lib/money.ts";
import { balanceQuery } from "../../lib/queries.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Loading } from "../../ui/parts.tsx";

export function CreditBalance(): ReactNode {
  const { data, error, refetch } = useQuery(balanceQuery);
  return (
    <Card title="Balance">
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the balance" />}
      {data?.read_ok === false && <p className="text-bad">The balance could not be read just now. Load the page again in a moment.</p>}
      {data?.read_ok === true && (
        <div className="flex flex-wrap items-end gap-x-12 gap-y-4">
          <div>
            <p className="figures text-4xl font-semibold tracking-tight">{usdShort(data.balance)}</p>
            <p className="figures mt-1 text-xs text-quiet">Exactly {usd(data.balance)}</p>
          </div>
          <Figure name="Added by payment" value={usd(data.lifetime_purchased)} />
          <Figure name="Granted" value={usd(data.lifetime_earned)} />
          <Figure name="Spent" value={usd(data.lifetime_spent)} />
          <Figure name="Tier" value={data.tier_name} />
        </div>
      )}
      {data?.nudge != null && <p className="mt-4 rounded-lg bg-warn-soft px-3 py-2 text-warn">{data.nudge.message}</p>}
    </Card>
  );
}

function Figure({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <div>
      <p className="text-xs text-quiet">{name}</p>
      <p className="figures text-base font-medium">{value}</p>
    </div>
  );
}
