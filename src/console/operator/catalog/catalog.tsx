// Catalog: the file in use with its warnings, and another one beside it, checked and compared before it is put in use.
import { useMutation, useQuery } from "@tanstack/react-query";
import type { OperatorCatalog } from "svc-sdk";
import { checkCatalog, compareCatalog, getOperatorCatalog } from "svc-sdk/operator";
import { type ReactNode, useRef, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { count } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Card, Facts, Loading, Page } from "../../ui/parts.tsx";
import { CatalogChanges } from "./changes.tsx";
import { Findings } from "./findings.tsx";

export function Catalog(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: ["operator", "catalog"], queryFn: () => getOperatorCatalog(api) });
  return (
    <Page title="Catalog" about="The models, prices, routes and providers that this gateway sells, and what another file would change.">
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the catalog" lines={6} />}
      {data !== undefined && <InUse catalog={data} />}
      <OtherFile />
    </Page>
  );
}

function InUse({ catalog: { path, loaded_at, sha256, models, providers, warnings } }: { catalog: OperatorCatalog }): ReactNode {
  return (
    <Card title="In use">
      <div className="space-y-4">
        <Facts
          rows={[
            ["File", <span key="path" className="font-mono text-xs break-all">{path ?? "The shipped catalog"}</span>], // prettier-ignore
            ["Read", when(loaded_at)],
            ["Models", count(models)],
            ["Providers", count(providers)],
            ["SHA-256", <span key="sha" className="font-mono text-xs break-all">{sha256}</span>], // prettier-ignore
          ]}
        />
        <Findings problems={[]} warnings={warnings} />
      </div>
    </Card>
  );
}

/** As many characters as the gateway takes. */
const longest = 4_000_000;

function OtherFile(): ReactNode {
  const [text, setText] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  const check = useMutation({ mutationFn: () => change(() => checkCatalog(api, { text })) });
  const compare = useMutation({ mutationFn: () => change(() => compareCatalog(api, { text })) });
  const load = useMutation({
    mutationFn: () => getOperatorCatalog(api, { text: true }),
    onSuccess: (catalog) => write(catalog.text ?? ""),
  });
  // What was found out is of the text before.
  const write = (next: string) => (setText(next), check.reset(), compare.reset());
  const busy = check.isPending || compare.isPending || load.isPending;
  const showLine = (line: number) => {
    const begin = text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0); // prettier-ignore
    const end = text.indexOf("\n", begin);
    area.current?.focus();
    area.current?.setSelectionRange(begin, end < 0 ? text.length : end);
  };
  const found = compare.data ?? check.data;
  return (
    <>
      <Card
        title="Another file"
        actions={
          <Button kind="quiet" busy={load.isPending} disabled={busy} onClick={() => load.mutate()}>
            Start from the file in use
          </Button>
        }
      >
        <div className="space-y-4">
          <TextArea
            ref={area}
            label="Catalog file"
            mono
            rows={18}
            spellCheck={false}
            maxLength={longest}
            value={text}
            onChange={(event) => write(event.target.value)}
            hint="YAML or JSON. Nothing here is put in use: the gateway reads its file, which SVC_CATALOG names, when it starts."
          />
          <div className="flex flex-wrap items-center gap-2">
            <Button busy={check.isPending} disabled={busy || text.trim() === ""} onClick={() => (compare.reset(), check.mutate())}>
              Check
            </Button>
            <Button
              kind="primary"
              busy={compare.isPending}
              disabled={busy || text.trim() === ""}
              onClick={() => (check.reset(), compare.mutate())}
            >
              Show changes
            </Button>
          </div>
          <ErrorNote error={load.error ?? check.error ?? compare.error} />
          {found !== undefined && <Verdict found={found} onLine={showLine} />}
        </div>
      </Card>
      {compare.data !== undefined && compare.data.problems.length === 0 && <CatalogChanges diff={compare.data} />}
    </>
  );
}

type Found = Pick<OperatorCatalog, "models" | "providers" | "problems" | "warnings">;

function Verdict({ found, onLine }: { found: Found; onLine: (line: number) => void }): ReactNode {
  const { models, providers, problems, warnings } = found;
  return (
    <div className="space-y-4">
      <p role="status" className="font-medium">
        {problems.length > 0
          ? `The gateway would refuse this file: ${count(problems.length)} ${problems.length === 1 ? "problem" : "problems"}.`
          : `The gateway would take this file: ${count(models)} models, ${count(providers)} providers.`}
      </p>
      <Findings problems={problems} warnings={warnings} onLine={onLine} />
    </div>
  );
}
