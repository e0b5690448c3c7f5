// API keys: what each has spent, and what may be done with it.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { keysQuery } from "../../lib/queries.ts";
import { useMay } from "../../lib/rights.ts";
import { RoleNote } from "../../shell/role-note.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeyTable } from "./key-table.tsx";

export function Keys(): ReactNode {
  const [reads, changes] = [useMay("readKeys"), useMay("keys") !== false];
  const { data, error, refetch } = useQuery({ ...keysQuery, enabled: reads === true });
  const { create } = useSearch({ from: "/inside/keys" });
  const navigate = useNavigate();
  const setCreate = (open: boolean) => void navigate({ to: "/keys", search: open ? { create: "1" } : {}, replace: true });
  const createButton = (
    <Button kind="primary" onClick={() => setCreate(true)}>
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      about="Programs call the gateway with a key. Give each program its own key and limit."
      actions={changes && createButton}
    >
      <RoleNote right={reads === false ? "readKeys" : "keys"} what={reads === false ? "see keys" : "create and change keys"} />
      <ErrorNote error={error} retry={() => void refetch()} />
      {reads !== false && (
        <Card title="Keys" flush>
          {data === undefined && error === null && <Loading what="Loading the keys" />}
          {data !== undefined && data.length > 0 && <KeyTable keys={data} readOnly={!changes} />}
          {data?.length === 0 && <Empty title="No keys yet">Create one, and your programs can call every model with it.</Empty>}
        </Card>
      )}
      <CreateKey open={changes && create !== undefined} onClose={() => setCreate(false)} />
    </Page>
  );
}
