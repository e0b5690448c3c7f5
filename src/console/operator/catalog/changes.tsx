// What another catalog file would change: models with prices, routes and margins, providers, and the other parts.
import type { CatalogDiff, CatalogModelChange, CatalogProviderChange, CatalogTerms } from "svc-sdk";
import type { ReactNode } from "react";
import { usd } from "../../lib/money.ts";
import { Badge, Card, Empty } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type Difference, differenceColumns, differencesOf } from "../differences.tsx";

export function CatalogChanges({ diff }: { diff: CatalogDiff }): ReactNode {
  const { changes, provider_changes, other_changes, truncated } = diff;
  const same = changes.length + provider_changes.length + other_changes.length === 0;
  if (same) return <Card title="Changes"><Empty title="The file matches the catalog in use" /></Card>; // prettier-ignore
  return (
    <>
      <Card title="Model changes" flush>
        <Table
          name="Model changes"
          rows={changes.flatMap(rowsOf)}
          idOf={({ id, field }) => `${id} ${field}`}
          columns={modelColumns}
          empty={<Empty title="No model differs" />}
        />
      </Card>
      <Card title="Provider changes" flush>
        <Table
          name="Provider changes"
          rows={provider_changes}
          idOf={({ id }) => id}
          columns={providerColumns}
          empty={<Empty title="No provider differs" />}
        />
      </Card>
      {other_changes.length > 0 && <p>Other parts that differ: {other_changes.join(", ")}.</p>}
      {truncated && <p className="text-quiet">More models or providers differ than this list shows.</p>}
    </>
  );
}

type Row = Difference & { id: string };

function rowsOf({ id, change, fields, before, after }: CatalogModelChange): Row[] {
  const rows = differencesOf(shown(before), shown(after)).filter(({ kind }) => kind !== "same");
  const others = fields.filter((field) => !["pricing", "routes", "state"].includes(field));
  const more: Difference[] =
    others.length === 0 ? [] : [{ field: `Also: ${others.join(", ")}`, before: undefined, after: undefined, kind: "changed" }];
  const all = [...rows, ...more];
  if (all.length === 0) all.push({ field: fields.join(", "), before: undefined, after: undefined, kind: change });
  return all.map((row) => ({ ...row, id }));
}

/** Margins are said with the price, since either may have moved. */
function shown(terms: CatalogTerms | null): Record<string, unknown> | null {
  if (terms === null) return null;
  const { state, pricing, routes, margins } = terms;
  const margin = Object.fromEntries(margins.map(({ route, unit, margin_usd }) => [`${route}, ${unit}`, usd(margin_usd)]));
  return { state, pricing, routes: routes.join(", "), margin };
}

const modelColumns: readonly Column<Row>[] = [
  { name: "Model", cell: ({ id }) => <span className="block min-w-32 font-medium break-all">{id}</span> },
  ...differenceColumns,
];

const tones = { added: "good", removed: "bad", changed: "accent" } as const;

const providerColumns: readonly Column<CatalogProviderChange>[] = [
  { name: "Provider", cell: ({ id }) => <span className="font-medium break-all">{id}</span> },
  { name: "Change", cell: ({ change }) => <Badge tone={tones[change]}>{change}</Badge> },
  { name: "Fields", cell: ({ fields }) => <span className="font-mono text-xs break-all">{fields.join(", ")}</span> },
];
