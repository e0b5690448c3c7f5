// Catalog: the one in use with its warnings and the versions before it, and another text, checked and compared before it is applied.
import { useMutation, useQuery } from "@tanstack/react-query";
import type { CatalogDiff, OperatorCatalog } from "svc-sdk";
import { applyCatalog, checkCatalog, compareCatalog, getOperatorCatalog } from "svc-sdk/operator";
import { type ReactNode, useRef, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { count } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { Card, Facts, Loading, Page } from "../../ui/parts.tsx";
import { ChangeDialog } from "../change-dialog.tsx";
import { useMay } from "../role.ts";
import { CatalogChanges } from "./changes.tsx";
import { Findings } from "./findings.tsx";
import { nameOf, Versions } from "./versions.tsx";

export function Catalog(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "catalog"],
    queryFn: () => getOperatorCatalog(api),
    refetchInterval: 10_000, // the process that answers follows a moment after another version was applied
  });
  return (
    <Page title="Catalog" about="The models, prices, routes and providers that this gateway sells, and what another file would change.">
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the catalog" lines={6} />}
      {data !== undefined && <InUse catalog={data} />}
      <Versions />
      <OtherFile />
    </Page>
  );
}

function InUse({ catalog }: { catalog: OperatorCatalog }): ReactNode {
  const { version, refused, path, loaded_at, sha256, models, providers, warnings } = catalog;
  const file = path ?? (version === 0 ? "The shipped catalog" : "None: it was applied");
  return (
    <Card title="In use">
      <div className="space-y-4">
        <Facts
          rows={[
            ["Version", version === 0 ? "0, the file of SVC_CATALOG" : count(version)],
            ["File", <span key="path" className="font-mono text-xs break-all">{file}</span>], // prettier-ignore
            ["Read", when(loaded_at)],
            ["Models", count(models)],
            ["Providers", count(providers)],
            ["SHA-256", <span key="sha" className="font-mono text-xs break-all">{sha256}</span>], // prettier-ignore
          ]}
        />
        {refused !== null && (
          <p role="status" className="font-medium text-bad">
            Version {refused} can't be used by the process that answers, which keeps this one: its log says why.
          </p>
        )}
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
  const [applying, setApplying] = useState(false);
  const mayApply = useMay("admin");
  const busy = check.isPending || compare.isPending || load.isPending;
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
            hint="YAML or JSON. Once you apply it, every process uses it, even after a restart, whatever SVC_CATALOG says."
          />
          <Upload onText={write} />
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
            {mayApply && (
              <Button disabled={busy || !canApply(compare.data)} onClick={() => setApplying(true)}>
                Apply
              </Button>
            )}
          </div>
          {mayApply && !canApply(compare.data) && <p className="text-quiet">To apply it, show its changes first.</p>}
          <ErrorNote error={load.error ?? check.error ?? compare.error} />
          {found !== undefined && <Verdict found={found} onLine={(line) => showLine(area.current, line)} />}
        </div>
      </Card>
      {canApply(compare.data) && (
        <Changes text={text} diff={compare.data} open={applying} onClose={() => setApplying(false)} onApplied={() => compare.reset()} />
      )}
    </>
  );
}

function showLine(area: HTMLTextAreaElement | null, line: number): void {
  const text = area?.value ?? "";
  const begin = text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0); // prettier-ignore
  const end = text.indexOf("\n", begin);
  area?.focus();
  area?.setSelectionRange(begin, end < 0 ? text.length : end);
}

function Upload({ onText }: { onText: (text: string) => void }): ReactNode {
  return (
    <Field
      label="Read it from a file"
      type="file"
      accept=".yaml,.yml,.json"
      onChange={(event) => void event.target.files?.[0]?.text().then(onText)}
    />
  );
}

function canApply(diff: CatalogDiff | undefined): diff is CatalogDiff {
  return diff !== undefined && diff.problems.length === 0;
}

interface ApplyProps {
  text: string;
  diff: CatalogDiff;
  open: boolean;
  onClose: () => void;
  onApplied: () => void;
}

function Changes(props: ApplyProps): ReactNode {
  return (
    <>
      <CatalogChanges diff={props.diff} />
      <Apply {...props} />
    </>
  );
}

function Apply({ text, diff, open, onClose, onApplied }: ApplyProps): ReactNode {
  const { version, changes, provider_changes, warnings } = diff;
  return (
    <ChangeDialog
      action="Apply"
      open={open}
      onClose={onClose}
      make={async (reason) => {
        const now = await applyCatalog(api, { text, expected_version: version, reason });
        onApplied();
        return now.applied ? `Version ${now.version} is in use in every process.` : "This file is already in use; nothing was changed.";
      }}
    >
      <p>
        In place of {nameOf(version)}: {countOf(changes.length, "model")} and {countOf(provider_changes.length, "provider")} differ. Calls
        under way keep the prices that they began with.
      </p>
      {warnings.length > 0 && (
        <p className="font-medium text-warn">
          {countOf(warnings.length, "warning")}, such as: {warnings[0]?.message}
        </p>
      )}
    </ChangeDialog>
  );
}

function countOf(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

type Found = Pick<OperatorCatalog, "models" | "providers" | "problems" | "warnings">;

function Verdict({ found, onLine }: { found: Found; onLine: (line: number) => void }): ReactNode {
  const { models, providers, problems, warnings } = found;
  return (
    <div className="space-y-4">
      <p role="status" className="font-medium">
        {problems.length > 0
          ? `The gateway would refuse this file: ${count(problems.length)} ${problems.length === 1 ? "problem" : "problems"}.`
          : `The gateway would accept this file: ${count(models)} models, ${count(providers)} providers.`}
      </p>
      <Findings problems={problems} warnings={warnings} onLine={onLine} />
    </div>
  );
}
