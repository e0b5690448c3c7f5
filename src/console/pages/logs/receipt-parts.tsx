// The parts of a receipt: attempts as a waterfall, the charge with its arithmetic, the ledger's entries.
import type { LedgerEntry, Receipt, ReceiptAttempt } from "svc-sdk/functions";
import { type ReactNode, useId } from "react";
import { count, usd } from "../../lib/money.ts";
import { duration, when } from "../../lib/time.ts";
import { Badge } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";

export function Region({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id} className="space-y-2">
      <h3 id={id} className="font-semibold">
        {title}
      </h3>
      <div className="rounded-lg border border-line">{children}</div>
    </section>
  );
}

/** They follow each other: each bar begins where the one before ended. */
export function Attempts({ receipt: { attempts } }: { receipt: Receipt }): ReactNode {
  const total = Math.max(
    attempts.reduce((sum, { latency_ms }) => sum + latency_ms, 0),
    1,
  );
  const begins = attempts.map((_, index) => attempts.slice(0, index).reduce((sum, { latency_ms }) => sum + latency_ms, 0));
  return (
    <Region title="Attempts">
      {attempts.length === 0 && <p className="p-4 text-quiet">No provider was called.</p>}
      <ol className="divide-y divide-line">
        {attempts.map((attempt, index) => (
          <AttemptRow
            key={index}
            attempt={attempt}
            left={((begins[index] ?? 0) / total) * 100}
            width={(attempt.latency_ms / total) * 100}
          />
        ))}
      </ol>
    </Region>
  );
}

function AttemptRow({ attempt, left, width }: { attempt: ReceiptAttempt; left: number; width: number }): ReactNode {
  const ok = attempt.outcome === "ok";
  return (
    <li className="space-y-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium break-all">{attempt.model}</span>
        <Badge tone={ok ? "good" : "bad"}>{attempt.outcome}</Badge>
        {attempt.label !== undefined && <Badge>{attempt.label}</Badge>}
        {attempt.status !== null && <span className="text-quiet">HTTP {attempt.status}</span>}
        <span className="figures ml-auto">{duration(attempt.latency_ms)}</span>
      </div>
      <div aria-hidden="true" className="h-1.5 rounded-full bg-sunken">
        <div
          className={`h-full rounded-full ${ok ? "bg-good" : "bg-bad"}`}
          style={{ marginLeft: `${left}%`, width: `${Math.max(width, 1)}%` }}
        />
      </div>
    </li>
  );
}

const rules = {
  price: "by what they cost the operator",
  latency: "by how soon they answered lately",
  throughput: "by how fast they wrote lately",
  weight: "by weights; a conversation stays with its route",
  order: "as the request ordered them",
  catalog: "as the operator ordered them, without those that the request left out",
};

const units = { price: "× the cheapest", latency: "ms", throughput: "tokens/s", weight: "", order: "", catalog: "" };

/** Nothing where the operator's order held. */
export function Routing({ receipt: { routing } }: { receipt: Receipt }): ReactNode {
  if (routing === undefined) return null;
  const { by, first, failover, routes } = routing;
  const before = first === undefined ? "" : `; before that ${rules[first]}`;
  return (
    <Region title="How the route was chosen">
      <p className="px-4 py-3">
        Routes were tried {rules[by]}
        {before}.{failover ? " The first did not answer." : ""}
      </p>
      <ol className="divide-y divide-line border-t border-line">
        {routes.map(({ model, label, score }, index) => (
          <li key={index} className="flex flex-wrap gap-x-3 px-4 py-2">
            <span className="break-all">{model}</span>
            {label !== undefined && <Badge>{label}</Badge>}
            {units[by] !== "" && <span className="figures ml-auto">{score === null ? "–" : `${count(score)} ${units[by]}`}</span>}
          </li>
        ))}
      </ol>
    </Region>
  );
}

const perMillion = new Set(["input", "cache_read", "cache_write", "cache_write_1h", "output"]);

export function Charge({ receipt: { charge, usage, log } }: { receipt: Pick<Receipt, "charge" | "usage" | "log"> }): ReactNode {
  return (
    <Region title="Receipt">
      <Table
        name="Lines of the charge"
        rows={charge.lines}
        idOf={({ item }) => item}
        empty={<p className="p-4 text-quiet">Nothing was billed.</p>}
        columns={[
          { name: "Item", cell: ({ item }) => item.replaceAll("_", " ") },
          { name: "Quantity", right: true, cell: ({ quantity }) => count(quantity) },
          {
            name: "Price",
            right: true,
            cell: ({ item, unit_price_usd }) => `${usd(unit_price_usd)}${perMillion.has(item) ? " per 1M" : ""}`,
          },
          { name: "Amount", right: true, cell: ({ amount_usd }) => `$${amount_usd}` },
        ]}
      />
      <dl className="figures space-y-1 border-t border-line bg-sunken/50 px-5 py-3">
        <Sum name="Sum, exact" value={`$${charge.sum_usd}`} />
        <Sum name="Rounded up once" value={usd(charge.rounded_usd)} />
        <Sum name="Reserved before the call" value={usd(charge.reserved_usd)} />
        <Sum name="Charged" value={usd(charge.cost_usd)} strong />
      </dl>
      <p className="border-t border-line px-5 py-2.5 text-xs text-quiet">
        Prices of {charge.model}
        {charge.service_tier === undefined ? "" : `, tier ${charge.service_tier}`}
        {charge.long_context === true ? ", for long prompts" : ""}. Usage was{" "}
        {usage.estimated ? "estimated: the provider reported none" : "measured"}.
        {log.status === "failed" && charge.cost_usd === 0 ? " The call failed, so it costs nothing." : ""}
      </p>
    </Region>
  );
}

function Sum({ name, value, strong = false }: { name: string; value: string; strong?: boolean }): ReactNode {
  return (
    <div className={`flex justify-between gap-4 ${strong ? "font-semibold" : ""}`}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function Entries({ entries }: { entries: readonly LedgerEntry[] }): ReactNode {
  return (
    <Region title="Ledger entries">
      <Table
        name="Ledger entries of the request"
        rows={entries}
        idOf={({ id }) => id}
        empty={<p className="p-4 text-quiet">None: nothing was charged.</p>}
        columns={[
          { name: "Entry", cell: ({ id }) => <span className="font-mono text-xs">{id}</span> },
          { name: "Type", cell: ({ type }) => type.replaceAll("_", " ") },
          { name: "Amount", right: true, cell: ({ amount_usd }) => usd(amount_usd) },
          { name: "Balance after", right: true, cell: ({ balance_after }) => usd(balance_after) },
          { name: "Time", right: true, cell: ({ created_at }) => when(created_at) },
        ]}
      />
    </Region>
  );
}
