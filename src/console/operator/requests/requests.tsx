// Requests: the calls of all accounts, filtered by what the address says.
import type { ListOperatorCallsQuery } from "svc-sdk/types";
import { type ReactNode, useDeferredValue } from "react";
import { endOfRange, timesOf } from "../../lib/range.ts";
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
  const asked: ListOperatorCallsQuery = {
    ...(account !== undefined && isAccount(account) ? { account } : {}),
    ...(text === "" ? {} : isAccount(text) ? { account: text } : text.includes("/") ? { model: text } : { request_id: text }),
    ...(status === "success" || status === "failed" ? { status } : {}),
  };
  const times = timesOf(search);
  return { ...asked, ...(isBounded(asked) ? endOfRange(times, dayMs) : times) };
}

const dayMs = 24 * 60 * 60 * 1000;
/** Over all accounts the gateway searches a day. */
const isBounded = ({ account, request_id }: ListOperatorCallsQuery) => account === undefined && request_id === undefined;

export function Requests(): ReactNode {
  const { search, set, clear } = useAddress();
  const q = useDeferredValue(search.q);
  const asked = queryOf({ ...search, q });
  const filtered = Object.keys(asked).length > 0;
  return (
    <Page
      title="Requests"
      about={`Calls of all accounts, for up to a day, or of one account or request id, for any time. Newest first. Times are in your zone, ${zoneName}.`}
    >
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
        <DateRange search={search} {...(isBounded(asked) ? { empty: "Last 24 hours", mostDays: 1 } : { empty: "Any time" })} set={set} />
        {isAccount(search.account) && <Button onClick={() => set({ account: "" })}>Only {search.account}: show all</Button>}
      </div>
      <Card title="Requests" flush>
        <Calls
          asked={asked}
          empty={
            filtered ? (
              <Empty title="No matching requests" action={<Button onClick={clear}>Clear the filters</Button>} />
            ) : (
              <Empty title="No requests yet" />
            )
          }
        />
      </Card>
    </Page>
  );
}
