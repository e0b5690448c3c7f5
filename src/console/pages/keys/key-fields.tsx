// The fields of a key, for a new one and for one that is changed, and what they say.
import type { ApiKeyRecord, ApiKeyRequest } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { dayText, endOfDay } from "../../lib/time.ts";
import { fieldText } from "../../lib/form.ts";
import { Field, Select, TextArea } from "../../ui/field.tsx";
import { resetChoices, resetsOf } from "./resets.ts";

const budget = { type: "number", min: "0", step: "any", inputMode: "decimal", placeholder: "No limit" } as const;

export function KeyFields({ of }: { of?: ApiKeyRecord }): ReactNode {
  const [resets, setResets] = useState(of?.limit_resets ?? "never");
  return (
    <>
      <Field
        label="Name"
        name="name"
        required
        maxLength={100}
        autoFocus
        autoComplete="off"
        placeholder="Which program uses it"
        defaultValue={of?.name}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Spending limit (USD)" name="limit" {...budget} defaultValue={of?.limit_usd ?? ""} />
        <Select
          label="Resets"
          name="resets"
          choices={resetChoices}
          value={resets}
          onChange={(event) => setResets(resetsOf(event.target.value))}
        />
        {resets !== "never" && <Field label="Limit in all (USD)" name="lifetime" {...budget} defaultValue={of?.lifetime_limit_usd ?? ""} />}
        <Field
          label="Expires"
          name="expires"
          type="date"
          min={dayText(new Date())}
          defaultValue={of?.expires_at == null ? "" : dayText(new Date(of.expires_at))}
          hint="At the end of this day; empty: never."
        />
      </div>
      <TextArea
        label="Allowed models"
        name="models"
        rows={2}
        defaultValue={list(of?.allowed_models)}
        placeholder="All"
        hint="One per line: an id, or maker/* for all of a maker's models."
      />
      <MoreSettings of={of} />
    </>
  );
}

function MoreSettings({ of }: { of: ApiKeyRecord | undefined }): ReactNode {
  return (
    <details className="rounded-lg border border-line px-4 py-2.5">
      <summary className="text-sm font-medium">More settings</summary>
      <div className="space-y-4 pt-3 pb-1.5">
        <TextArea
          label="Allowed networks"
          name="networks"
          rows={2}
          defaultValue={list(of?.allowed_networks)}
          placeholder="All"
          hint="One per line, such as 192.0.2.0/24. The key is refused from anywhere else."
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Requests a minute"
            name="rpm"
            type="number"
            min="1"
            step="1"
            placeholder="As the account"
            defaultValue={of?.rpm ?? ""}
          />
          <Field
            label="Tokens a minute"
            name="tpm"
            type="number"
            min="1"
            step="1"
            placeholder="As the account"
            defaultValue={of?.tpm ?? ""}
          />
        </div>
        <Field
          label="Keep answers for repeats, seconds"
          name="response_cache"
          type="number"
          min="0"
          max="86400"
          step="1"
          placeholder="Not kept"
          defaultValue={of?.response_cache_seconds || ""}
        />
        <label className="flex items-start gap-2 text-sm">
          <input type="checkbox" name="stream_usage" defaultChecked={of?.stream_usage ?? false} className="mt-1" />
          Chat streams end with their usage, even if the client doesn't ask for it
        </label>
      </div>
    </details>
  );
}

function list(entries: string[] | null | undefined): string {
  return entries?.join("\n") ?? "";
}

type KeyInput = Required<
  Pick<
    ApiKeyRequest,
    | "name"
    | "limit_usd"
    | "limit_resets"
    | "lifetime_limit_usd"
    | "expires_at"
    | "allowed_models"
    | "allowed_networks"
    | "rpm"
    | "tpm"
    | "stream_usage"
    | "response_cache_seconds"
  >
>;

export function keyInputOf(data: FormData): KeyInput {
  const text = (name: string) => fieldText(data, name);
  const number = (name: string) => (text(name) === "" ? null : Number(text(name)));
  const entriesOf = (name: string) => {
    const entries = text(name)
      .split(/[\s,]+/)
      .filter((entry) => entry !== "");
    return entries.length === 0 ? null : entries;
  };
  const limit = number("limit");
  const resets = resetsOf(text("resets"));
  return {
    name: text("name"),
    limit_usd: limit,
    limit_resets: resets,
    // Without a period the two limits are one.
    lifetime_limit_usd: resets === "never" ? limit : number("lifetime"),
    expires_at: endOfDay(text("expires")),
    allowed_models: entriesOf("models"),
    allowed_networks: entriesOf("networks"),
    rpm: number("rpm"),
    tpm: number("tpm"),
    stream_usage: data.has("stream_usage"),
    response_cache_seconds: number("response_cache") ?? 0,
  };
}
