// The versions of the catalog that were applied, and going back by one.
import { useQuery } from "@tanstack/react-query";
import type { CatalogVersion } from "svc-sdk";
import { listCatalogVersions, revertCatalog } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Empty, Loading } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ChangeDialog } from "../change-dialog.tsx";
import { useMay } from "../role.ts";

export function nameOf(version: number): string {
  return version === 0 ? "the file of SVC_CATALOG" : `version ${version}`;
}

export function Versions(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "catalog", "versions"],
    queryFn: () => listCatalogVersions(api).then((list) => list.data),
  });
  const [reverting, setReverting] = useState(false);
  const mayRevert = useMay("admin");
  const newest = data?.[0];
  return (
    <Card
      title="Versions"
      flush
      actions={
        newest !== undefined &&
        mayRevert && (
          <Button kind="quiet" onClick={() => setReverting(true)}>
            Revert
          </Button>
        )
      }
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the versions" />}
      {data !== undefined && (
        <Table
          name="Versions"
          rows={data}
          idOf={({ version }) => String(version)}
          columns={columns}
          empty={<Empty title="No version was applied">Every process uses the file of SVC_CATALOG.</Empty>}
        />
      )}
      {newest !== undefined && <Revert version={newest.version} open={reverting} onClose={() => setReverting(false)} />}
    </Card>
  );
}

function Revert({ version, open, onClose }: { version: number; open: boolean; onClose: () => void }): ReactNode {
  return (
    <ChangeDialog
      action="Revert"
      open={open}
      onClose={onClose}
      make={async (reason) => {
        const now = await revertCatalog(api, { expected_version: version, reason });
        return `Version ${now.version} is in use: it is ${nameOf(now.restores ?? 0)} again.`;
      }}
    >
      <p>
        Version {version} goes out of use, and what was in use before it comes back, with its prices, in every process. Calls under way keep
        the prices that they began with.
      </p>
    </ChangeDialog>
  );
}

const columns: readonly Column<CatalogVersion>[] = [
  {
    name: "Version",
    cell: ({ version, in_use }) => (
      <span className="flex items-center gap-2">
        <span className="figures font-medium">{version}</span>
        {in_use && <Badge tone="good">In use</Badge>}
      </span>
    ),
  },
  { name: "Applied", cell: ({ applied_at }) => when(applied_at) },
  { name: "By", cell: ({ applied_by }) => <span className="block min-w-40 break-all">{applied_by}</span> },
  { name: "What", cell: ({ restores }) => (restores === null ? "Another text" : `Back to ${nameOf(restores)}`) },
  { name: "Reason", cell: ({ reason }) => <span className="block min-w-32 break-words">{reason}</span> },
];
