// How the payment ended from which the customer just came back.
import { useQuery } from "@tanstack/react-query";
import { getTopup, type Topup } from "svc-sdk/functions";
import { type ReactNode, useEffect, useState } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { balanceQuery, limitsQuery, queries } from "../../lib/queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { forgetTopup, keptTopup } from "./kept-topup.ts";

export function LastTopup(): ReactNode {
  const [id, setId] = useState(keptTopup);
  const { data } = useQuery({
    queryKey: ["topup", id],
    queryFn: () => getTopup(api, id ?? ""),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2_000 : false),
  });
  const status = data?.status;
  useEffect(() => {
    if (status !== "succeeded") return;
    void queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
    void queries.invalidateQueries({ queryKey: limitsQuery.queryKey });
    void queries.invalidateQueries({ queryKey: ["ledger"] });
  }, [status]);
  if (id === null || data === undefined) return null;
  return (
    <div
      role="status"
      className={`flex items-center gap-3 rounded-lg px-4 py-3 ${status === "succeeded" ? "bg-good-soft" : "bg-warn-soft"}`}
    >
      <p className="flex-1">{textOf(data)}</p>
      {data.status === "pending" && data.checkout_url !== null && (
        <a href={data.checkout_url} className="underline">
          Go to the payment
        </a>
      )}
      <IconButton label="Dismiss" onClick={() => (forgetTopup(), setId(null))}>
        <Icon name="close" />
      </IconButton>
    </div>
  );
}

function textOf({ status, amount_usd, paid_usd, tax_usd }: Topup): string {
  const amount = usd(amount_usd);
  const taxed = paid_usd === null || tax_usd === null || tax_usd === 0 ? "" : ` You paid ${usd(paid_usd)}, of it ${usd(tax_usd)} tax.`;
  const texts: Record<Topup["status"], string> = {
    pending: `Waiting for the payment of ${amount}.`,
    succeeded: `${amount} was added to your balance.${taxed}`,
    failed: `The payment of ${amount} was refused. Nothing was added.`,
    expired: `The payment of ${amount} was not made in time. Nothing was added.`,
  };
  return texts[status];
}
