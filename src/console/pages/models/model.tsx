// One model: what it does, what it costs, what it accepts, and the code that calls it.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { getModel, listPriceChanges, type ModelRow, type PriceChange, SvcError } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { needsCredit, priceLine, pricingQuery, useHasCredits } from "../../lib/prices.ts";
import { count, none, usd } from "../../lib/money.ts";
import { dayOf } from "../../lib/time.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyIcon } from "../../ui/copy.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Facts, Loading, Page } from "../../ui/parts.tsx";
import { Samples } from "./samples.tsx";

export function Model(): ReactNode {
  const { _splat: id = "" } = useParams({ from: "/inside/models/$" });
  const { data, error, refetch } = useQuery({ queryKey: ["model", id], queryFn: () => getModel(api, id), staleTime: 300_000 });
  const hasCredits = useHasCredits();
  const back = (
    <Link to="/models" className="text-accent underline">
      All models
    </Link>
  );
  if (error !== null)
    return (
      <Page title={SvcError.is(error) && error.status === 404 ? "Model not found" : "Model"} actions={back}>
        <ErrorNote error={error} retry={() => void refetch()} />
      </Page>
    );
  if (data === undefined) return <Loading what="Loading the model" lines={8} />;
  return (
    <Page
      title={data.name}
      about={data.description}
      actions={
        <>
          {back}
          {data.type === "language" && <TryIt id={data.id} />}
        </>
      }
    >
      <p className="flex flex-wrap items-center gap-2">
        <span className="flex items-center gap-1 font-mono text-xs">
          {data.id} <CopyIcon text={data.id} what="model id" />
        </span>
        <Badge tone="accent">{data.type}</Badge>
        {data.free_tier && <Badge tone="good">Free tier</Badge>}
        {needsCredit(data, hasCredits) && <Badge tone="warn">Add credit first</Badge>}
        {data.promotion !== null && <Badge tone="warn">{data.promotion.label}</Badge>}
      </p>
      <div className="grid gap-6 lg:grid-cols-2">
        <Prices model={data} />
        <About model={data} />
      </div>
      <Samples model={data} />
    </Page>
  );
}

function TryIt({ id }: { id: string }): ReactNode {
  return (
    <ButtonLink kind="primary" to="/playground" search={{ models: id }}>
      Try in the playground
    </ButtonLink>
  );
}

function Prices({ model }: { model: ModelRow }): ReactNode {
  const { data: list } = useQuery(pricingQuery);
  const { pricing, list_price } = model;
  const usual = (now: number, before: number) => (now === before ? usd(now) : `${usd(now)}, usually ${usd(before)}`);
  return (
    <Card title="Prices">
      {pricing.mode === "per-token" ? (
        <>
          <p className="mb-3 text-quiet">US dollars per million tokens.</p>
          <Facts
            rows={[
              ["Input", usual(pricing.input, list_price.input)],
              ["Output", usual(pricing.output, list_price.output)],
              ["Cached input", usd(pricing.cached)],
              ...(pricing.cache_write === undefined ? [] : [["Cache write", usd(pricing.cache_write)] as const]),
              ...(pricing.per_web_search === undefined ? [] : [["Web search", `${usd(pricing.per_web_search)} each`] as const]),
              ...(pricing.per_web_fetch === undefined ? [] : [["Web fetch", `${usd(pricing.per_web_fetch)} each`] as const]),
              ...(pricing.long_context === undefined
                ? []
                : [
                    [
                      `Above ${count(pricing.long_context.above)} tokens`,
                      `${usd(pricing.long_context.input)} in, ${usd(pricing.long_context.output)} out`,
                    ] as const,
                  ]),
            ]}
          />
        </>
      ) : (
        <p>{priceLine(model, list)}</p>
      )}
      <PriceChanges model={model.id} />
    </Card>
  );
}

/** Absent where the history is not known, which is no fault of the page. */
function PriceChanges({ model }: { model: string }): ReactNode {
  const asked = { model, limit: 5 };
  const { data } = useQuery({ queryKey: ["price changes", model], queryFn: () => listPriceChanges(api, asked), staleTime: 60_000 });
  const [newest, ...older] = data?.data ?? [];
  if (newest === undefined) return null;
  return (
    <div className="mt-4 space-y-2 border-t border-line pt-3">
      <p className="text-quiet">
        {newest.before === null ? "Sold since" : "At this price since"} {dayOf(newest.at)}
      </p>
      {newest.before !== null && (
        <ul aria-label="Changes of the price" className="space-y-1 text-quiet">
          {[newest, ...older].map((change) => (
            <li key={change.id} className="figures">
              {dayOf(change.at)}: {changeText(change)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The numbers that differ, by their names in the price list. */
function changeText({ before, after }: PriceChange): string {
  if (before === null) return "first sold";
  if (after === null) return "no longer sold";
  const [old, now] = [pricesIn(before), pricesIn(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  const text = (price: unknown) => (typeof price === "number" ? usd(price) : typeof price === "string" ? price : "none");
  return keys.map((key) => `${key.replaceAll(/[_.]/g, " ")} from ${text(old.get(key))} to ${text(now.get(key))}`).join(", ");
}

function pricesIn(price: object, within = ""): Map<string, unknown> {
  return new Map(
    Object.entries(price).flatMap(([key, value]: [string, unknown]) =>
      typeof value === "object" && value !== null ? [...pricesIn(value, `${within}${key}.`)] : [[within + key, value] as const],
    ),
  );
}

function About({ model }: { model: ModelRow }): ReactNode {
  const size = (tokens: number) => (tokens === 0 ? none : `${count(tokens)} tokens`);
  return (
    <Card title="Facts">
      <Facts
        rows={[
          ["Creator", model.owned_by],
          ["Best for", model.best_for],
          ["Context window", size(model.context_window)],
          ["Longest output", size(model.max_output_tokens)],
          ["Input", model.input_modalities.join(", ")],
          ["Output", model.output_modalities.join(", ")],
          ["Parameters", model.supported_parameters.join(", ") || none],
          ["Released", model.release_date],
          ["Retires", model.retires_on ?? "Not planned"],
        ]}
      />
    </Card>
  );
}
