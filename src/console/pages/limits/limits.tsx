// Limits: what the account's tier allows, what is used of it now, and what the other tiers allow.
import { useQuery } from "@tanstack/react-query";
import type { LimitState, TierRow } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { count, usdShort } from "../../lib/money.ts";
import { limitsQuery, tiersQuery } from "../../lib/queries.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";

interface Limit {
  name: string;
  /** Null: it is not counted for the account as a whole. */
  used: number | null;
  most: number;
}

export function Limits(): ReactNode {
  const { data, error, refetch } = useQuery({ ...limitsQuery, refetchInterval: 10_000 });
  return (
    <Page title="Limits" about="Your tier rises with the credit you add. A request above a limit is refused at once and costs nothing.">
      <ErrorNote error={error} retry={() => void refetch()} />
      <Card title="This minute" flush actions={data !== undefined && <Badge tone="accent">{data.tier_name}</Badge>}>
        {data === undefined && error === null && <Loading what="Loading the limits" lines={6} />}
        {data !== undefined && <Table name="Limits" rows={limitsOf(data)} idOf={({ name }) => name} columns={columns} />}
      </Card>
      <Tiers now={data?.tier} />
    </Page>
  );
}

function limitsOf(state: LimitState): Limit[] {
  const { image, video, audio } = state.concurrent;
  return [
    { name: "Requests a minute", used: state.rpm_used, most: state.rpm_limit },
    { name: "Tokens a minute", used: state.tpm_used, most: state.tpm_limit },
    { name: "Requests a minute for each model", used: null, most: state.per_model_rpm },
    { name: "Image jobs at once", used: image.used, most: image.limit },
    { name: "Video jobs at once", used: video.used, most: video.limit },
    { name: "Audio calls at once", used: audio.used, most: audio.limit },
  ];
}

const columns: readonly Column<Limit>[] = [
  { name: "Limit", cell: ({ name }) => name },
  { name: "Used", right: true, cell: ({ used }) => count(used) },
  { name: "Allowed", right: true, cell: ({ most }) => (most === 0 ? "Not in this tier" : count(most)) },
  { name: "Share", cell: ({ used, most }) => used !== null && most > 0 && <Meter part={used / most} /> },
];

function Meter({ part }: { part: number }): ReactNode {
  const shown = Math.min(Math.round(part * 100), 100);
  return (
    <div className="flex min-w-32 items-center gap-2">
      <div aria-hidden="true" className="h-1.5 flex-1 rounded-full bg-sunken">
        <div className={`h-full rounded-full ${shown >= 90 ? "bg-bad" : "bg-accent"}`} style={{ width: `${shown}%` }} />
      </div>
      <span className="figures w-10 text-right text-xs text-quiet">{shown} %</span>
    </div>
  );
}

function Tiers({ now }: { now: number | undefined }): ReactNode {
  const { data, error, refetch } = useQuery(tiersQuery);
  return (
    <Card title="Tiers" flush>
      {error !== null && <div className="p-5"><ErrorNote error={error} retry={() => void refetch()} /></div> /* prettier-ignore */}
      {data === undefined && error === null && <Loading what="Loading the tiers" lines={5} />}
      {data !== undefined && <Table name="Tiers" rows={data.tiers} idOf={({ tier }) => String(tier)} columns={tierColumns(now)} />}
    </Card>
  );
}

const tierColumns = (now: number | undefined): readonly Column<TierRow>[] => [
  { name: "Tier", cell: ({ name, tier }) => <span className="flex items-center gap-2 font-medium">{name} {tier === now && <Badge tone="accent">Yours</Badge>}</span> }, // prettier-ignore
  { name: "From deposits of", right: true, cell: ({ min_deposit }) => usdShort(min_deposit) },
  { name: "Requests a minute", right: true, cell: ({ rpm }) => count(rpm) },
  { name: "For each model", right: true, cell: (tier) => count(tier.per_model_rpm) },
  { name: "Tokens a minute", right: true, cell: ({ tpm }) => count(tpm) },
  { name: "Images at once", right: true, cell: ({ image_concurrent }) => count(image_concurrent) },
  { name: "Videos at once", right: true, cell: ({ video_concurrent }) => count(video_concurrent) },
  { name: "Audio at once", right: true, cell: ({ audio_concurrent }) => count(audio_concurrent) },
];
