// Changing a key's name and limits. They count from the next request on.
import { useMutation } from "@tanstack/react-query";
import { type ApiKeyChange, type ApiKeyRecord, updateApiKey } from "svc-sdk/functions";
import type { FormEvent, ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { dayText } from "../../lib/time.ts";
import { keysQuery, queries } from "../../lib/queries.ts";
import { announce } from "../../ui/announce.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { KeyFields, keyInputOf } from "./key-fields.tsx";

export function EditKey({ of, onClose }: { of: ApiKeyRecord | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Edit key" open={of !== null} onClose={onClose}>
      {of !== null && <EditForm of={of} onClose={onClose} />}
    </Dialog>
  );
}

function EditForm({ of, onClose }: { of: ApiKeyRecord; onClose: () => void }): ReactNode {
  const save = useMutation({
    mutationFn: (input: ApiKeyChange) => change(() => updateApiKey(api, of.id, input)),
    onSuccess: ({ name }) => (announce(`${name} is changed.`), onClose(), queries.invalidateQueries({ queryKey: keysQuery.queryKey })),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(changesOf(of, new FormData(event.currentTarget)));
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <KeyFields of={of} />
      <ErrorNote error={save.error} />
      <DialogButtons action="Save" busy={save.isPending} onClose={onClose} />
    </form>
  );
}

/**
 * What is as before is not sent: an expiry that has passed or a model that is no longer offered would be refused, and an expiry by the minute
 * would become one by the day.
 */
function changesOf(of: ApiKeyRecord, data: FormData): ApiKeyChange {
  const input = keyInputOf(data);
  const sameDay = data.get("expires") === (of.expires_at === null ? "" : dayText(new Date(of.expires_at)));
  const isSame = (name: keyof typeof input) => {
    if (name === "expires_at") return sameDay;
    // Without a period it follows from the other limit.
    if (name === "lifetime_limit_usd" && input.limit_resets === "never") return true;
    return JSON.stringify(input[name]) === JSON.stringify(of[name]);
  };
  const changed = (Object.keys(input) as (keyof typeof input)[]).filter((name) => !isSame(name));
  return Object.fromEntries(changed.map((name) => [name, input[name]]));
}
