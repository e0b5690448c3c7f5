// Requests: the calls of all accounts, filtered by what the address says.
import type { ListOperatorCallsQuery } from "svc-sdk/types";
import { type ReactNode, useDeferredValue } from "react";
import { timesOf } from "../../lib/range.ts";
import { zoneName } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { DateRange } from "../../ui/date-range.tsx";
import { SearchBox, Select } from "../../ui/field.tsx";
import { Card, Empty, Page } from "../../ui/parts.tsx";
import { type OperatorSearch, useAddress } from "../address.tsx";
import { Calls } from "./calls.tsx";

const isAccount = (text = "") => /^acc_[1-9]\d{0,17}$/.test(text);

/** What is typed is an account's id, a model's (which has a slash) or a request's. */
function queryOf({ q = "", status, account, ...search }: OperatorSearch): ListOperatorCallsQuery {
  const text = q.trim();
  return {
    ...(account !== undefined && isAccount(account) ? { account } : {}),
    ...(text === "" ? {} : isAccount(text) ? { account: text } : text.includes("/") ? { model: text } : { request_id: text }),
    ...(status === "success" || status === "failed" ? { status } : {}),
    ...timesOf(search),
  };
}

export function Requests(): ReactNode {
  const { search, set, clear } = useAddress();
  const q = useDeferredValue(search.q);
  const asked = queryOf({ ...search, q });
  const filtered = Object.keys(asked).length > 0;
  return (
    <Page title="Requests" about={`The calls of all accounts, newest first. Times are in your zone, ${zoneName}.`}>
      <div className="flex flex-wrap items-end gap-3">
        <SearchBox
          value={search.q ?? ""}
          maxLength={128}
          placeholder="Id of a request, account or model"
          onChange={(event) => set({ q: event.target.value })}
        />
        <Select
          label="Status"
          inline
          value={asked.status ?? ""}
          choices={[
            { value: "", label: "Any" },
            { value: "success", label: "Success" },
            { value: "failed", label: "Failed" },
          ]}
          onChange={(event) => set({ status: event.target.value })}
        />
        <DateRange search={search} empty="Any time" set={set} />
        {isAccount(search.account) && <Button onClick={() => set({ account: "" })}>Only {search.account}: show all</Button>}
      </div>
      <Card title="Requests" flush>
        <Calls
          asked={asked}
          empty={
            filtered ? (
              <Empty title="No request fits" action={<Button onClick={clear}>Clear the filters</Button>} />
            ) : (
              <Empty title="No requests yet" />
            )
          }
        />
      </Card>
    </Page>
  );
}
