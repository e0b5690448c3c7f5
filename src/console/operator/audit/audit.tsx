// Audit log: what operators and the command line changed.
import { type ReactNode, useDeferredValue } from "react";
import { timesOf } from "../../lib/range.ts";
import { zoneName } from "../../lib/time.ts";
import { DateRange } from "../../ui/date-range.tsx";
import { SearchBox } from "../../ui/field.tsx";
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
  return (
    <Page title="Audit log" about={`Each change that an operator or the command line made. Times are in your zone, ${zoneName}.`}>
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
      </div>
      <Card title="Audit log" flush>
        <Actions name="Audit log" asked={asked} empty={<Empty title="No action fits" />} />
      </Card>
    </Page>
  );
}
