// An endpoint's address, purpose and events: a new one, whose secret is shown once, or a change of one.
import { useMutation } from "@tanstack/react-query";
import { createWebhook, updateWebhook, type WebhookEndpoint, type WebhookRequest } from "svc-sdk/functions";
import type { WebhookEvent } from "svc-sdk/types";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { announce } from "../../ui/announce.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { eventNames } from "./event-names.ts";
import { NewSecret } from "./webhook-secret.tsx";

interface WebhookFormProps {
  of: WebhookEndpoint | "new" | null;
  onClose: () => void;
}

export function WebhookForm({ of, onClose }: WebhookFormProps): ReactNode {
  return (
    <Dialog title={of === "new" ? "Add endpoint" : "Edit endpoint"} open={of !== null} onClose={onClose}>
      {of !== null && <Fields known={of === "new" ? null : of} onClose={onClose} />}
    </Dialog>
  );
}

const choices = (Object.keys(eventNames) as (keyof typeof eventNames)[]).filter((event): event is WebhookEvent => event !== "webhook.test");

function Fields({ known, onClose }: { known: WebhookEndpoint | null; onClose: () => void }): ReactNode {
  const [events, setEvents] = useState<readonly WebhookEvent[]>(known?.events ?? []);
  const [secret, setSecret] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: async (input: WebhookRequest) => {
      if (known === null) return (await change(() => createWebhook(api, input))).secret;
      await change(() => updateWebhook(api, known.id, input));
      return null;
    },
    onSuccess: (made) => {
      if (made !== null) return setSecret(made);
      announce("The endpoint is saved.");
      onClose();
    },
  });
  if (secret !== null) return <NewSecret secret={secret} onClose={onClose} />;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    save.mutate({
      url: fieldText(form, "url"),
      description: fieldText(form, "description") || null,
      events: events.length === 0 ? null : [...events],
    });
  };
  const toggle = (event: WebhookEvent, on: boolean) => setEvents(on ? [...events, event] : events.filter((one) => one !== event));
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field
        label="URL"
        name="url"
        type="url"
        required
        maxLength={2048}
        pattern="https://.+"
        title="A URL that begins with https://"
        placeholder="https://example.com/hooks"
        defaultValue={known?.url ?? ""}
        hint="HTTPS, on a public host."
      />
      <Field label="Description" name="description" maxLength={200} placeholder="Optional" defaultValue={known?.description ?? ""} />
      <fieldset className="space-y-2">
        <legend className="mb-1.5 text-sm font-medium">Events</legend>
        {choices.map((event) => (
          <label key={event} className="flex items-start gap-2">
            <input
              type="checkbox"
              className="mt-1"
              checked={events.includes(event)}
              onChange={({ target }) => toggle(event, target.checked)}
            />
            <span>{eventNames[event]}</span>
          </label>
        ))}
        <p className="text-xs text-quiet">Choose some, or leave all unchecked to get every event, including future ones.</p>
      </fieldset>
      <ErrorNote error={save.error} />
      <DialogButtons action={known === null ? "Add endpoint" : "Save"} busy={save.isPending} onClose={onClose} />
    </form>
  );
}
