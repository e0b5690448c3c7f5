// Audit log: what operators and the command line changed, also as a file.
import { useMutation } from "@tanstack/react-query";
import { listOperatorActions } from "svc-sdk/operator";
import { type ReactNode, useDeferredValue } from "react";
import { api } from "../../lib/api.ts";
import { dayText, zoneName } from "../../lib/time.ts";
import { timesOf } from "../../lib/range.ts";
import { savePages } from "../../lib/save.ts";
import { Button } from "../../ui/button.tsx";
import { CutNote } from "../../ui/cut-note.tsx";
import { DateRange } from "../../ui/date-range.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SearchBox } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Card, Empty, Page } from "../../ui/parts.tsx";
import { useAddress } from "../address.tsx";
import { Actions } from "./actions.tsx";

export function AuditLog(): ReactNode {
  const { search, set } = useAddress();
  const { who, action, target, ...range } = useDeferredValue(search);
  const words = Object.fromEntries(
    Object.entries({ who, action, target }).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const asked = { ...words, ...timesOf(range) };
  const save = useMutation({
    mutationFn: () =>
      savePages({
        path: "/v1/operator/audit",
        query: { ...asked, limit: "1000" },
        name: `audit-log-${dayText(new Date())}.csv`,
        again: () => listOperatorActions(api, { ...asked, limit: 1 }),
      }),
  });
  return (
    <Page title="Audit log" about={`Every change made by an operator or from the command line. Times are in your zone, ${zoneName}.`}>
      <div className="flex flex-wrap items-end gap-3">
        <SearchBox label="Operator" maxLength={320} value={search.who ?? ""} onChange={(event) => set({ who: event.target.value })} />
        <SearchBox
          label="Action"
          maxLength={60}
          placeholder="Action, such as account.suspend"
          value={search.action ?? ""}
          onChange={(event) => set({ action: event.target.value })}
        />
        <SearchBox
          label="Target"
          maxLength={200}
          placeholder="Target, such as acc_42"
          value={search.target ?? ""}
          onChange={(event) => set({ target: event.target.value })}
        />
        <DateRange search={search} empty="Any time" set={set} />
        <Button className="sm:ml-auto" busy={save.isPending} onClick={() => save.mutate()}>
          <Icon name="download" /> Export CSV
        </Button>
      </div>
      <ErrorNote error={save.error} />
      <CutNote cut={save.data} kept="newest" path="/v1/operator/audit" />
      <Card title="Audit log" flush>
        <Actions name="Audit log" asked={asked} empty={<Empty title="No matching actions" />} />
      </Card>
    </Page>
  );
}
