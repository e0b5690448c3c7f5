// Models: searched and filtered in the browser, since the list is short and comes whole.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useMemo } from "react";
import type { ModelRow } from "svc-sdk/functions";
import { count, none } from "../../lib/money.ts";
import { priceLine, type Pricing, pricingQuery } from "../../lib/prices.ts";
import { modelsQuery } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SearchBox, Select } from "../../ui/field.tsx";
import { Badge, Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";

export function Models(): ReactNode {
  const search = useSearch({ from: "/inside/models/" });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(modelsQuery);
  const { data: prices } = useQuery(pricingQuery);
  const set = (changed: ModelSearch) => {
    const merged = Object.entries({ ...search, ...changed }).filter(([, value]) => value !== "");
    void navigate({ to: "/models", search: Object.fromEntries(merged), replace: true });
  };
  const deferred = useDeferredValue(search);
  const rows = useMemo(() => data?.filter((model) => fits(model, deferred)), [data, deferred]);
  const columns = useMemo(() => columnsWith(prices), [prices]);
  return (
    <Page title="Models" about="Every model behind your key, with what it costs now.">
      <Filters models={data ?? []} search={search} set={set} />
      <ErrorNote error={error} retry={() => void refetch()} />
      <Card title={rows === undefined ? "Models" : `${count(rows.length)} models`} flush>
        {rows === undefined && error === null && <Loading what="Loading the models" lines={8} />}
        {rows !== undefined && (
          <Table
            name="Models"
            rows={rows}
            idOf={({ id }) => id}
            columns={columns}
            empty={
              <Empty
                title="No matching models"
                action={<Button onClick={() => void navigate({ to: "/models", search: {} })}>Clear the filters</Button>}
              />
            }
          />
        )}
      </Card>
    </Page>
  );
}

function Filters({
  models,
  search,
  set,
}: {
  models: readonly ModelRow[];
  search: ModelSearch;
  set: (changed: ModelSearch) => void;
}): ReactNode {
  const any = { value: "", label: "Any" };
  const listed = (values: string[]) => [any, ...[...new Set(values)].sort().map((value) => ({ value, label: value }))];
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SearchBox value={search.q ?? ""} onChange={(event) => set({ q: event.target.value })} />
      <Select
        label="Type"
        inline
        value={search.type ?? ""}
        choices={listed(models.map(({ type }) => type))}
        onChange={(event) => set({ type: event.target.value })}
      />
      <Select
        label="Creator"
        inline
        value={search.maker ?? ""}
        choices={listed(models.map((model) => model.owned_by))}
        onChange={(event) => set({ maker: event.target.value })}
      />
      <Select
        label="Supports"
        inline
        value={search.can ?? ""}
        choices={[any, ...Object.entries(abilities).map(([value, { label }]) => ({ value, label }))]}
        onChange={(event) => set({ can: event.target.value })}
      />
    </div>
  );
}

const columnsWith = (prices: Pricing | undefined): readonly Column<ModelRow>[] => [
  {
    name: "Model",
    cell: (model) => (
      <div className="min-w-48">
        <p className="flex flex-wrap items-center gap-2">
          <Link to="/models/$" params={{ _splat: model.id }} className="font-medium text-accent hover:underline">
            {model.name}
          </Link>
          {model.free_tier && <Badge tone="good">Free tier</Badge>}
          {model.promotion !== null && <Badge tone="warn">{model.promotion.label}</Badge>}
        </p>
        <p className="font-mono text-xs break-all text-quiet">{model.id}</p>
      </div>
    ),
  },
  { name: "Type", cell: ({ type }) => <Badge>{type}</Badge> },
  { name: "Creator", cell: (model) => model.owned_by },
  { name: "Context", right: true, cell: ({ context_window }) => (context_window === 0 ? none : count(context_window)) },
  { name: "Price", right: true, cell: (model) => priceLine(model, prices) },
];

type ModelSearch = Partial<Record<"q" | "type" | "maker" | "can", string>>;

const abilities: Record<string, { label: string; has: (model: ModelRow) => boolean }> = {
  tools: { label: "Tools", has: (model) => model.supports_tools },
  structured: { label: "Structured output", has: (model) => model.supports_structured_outputs },
  vision: { label: "Images as input", has: (model) => model.supports_vision },
  reasoning: { label: "Reasoning", has: (model) => model.supports_reasoning },
  caching: { label: "Prompt caching", has: (model) => model.supports_caching },
  free: { label: "Free tier", has: (model) => model.free_tier },
};

function fits(model: ModelRow, { q = "", type, maker, can }: ModelSearch): boolean {
  const ability = can === undefined ? undefined : abilities[can];
  const text = [model.id, model.name, model.description, model.best_for, model.owned_by].join(" ").toLowerCase();
  return (
    (type === undefined || model.type === type) &&
    (maker === undefined || model.owned_by === maker) &&
    (ability === undefined || ability.has(model)) &&
    q.toLowerCase().split(/\s+/).every((word) => text.includes(word)) // prettier-ignore
  );
}
