// The secret that signs what is posted to an endpoint: shown once, and replaced while the old one goes on for as long as is chosen.
import { useMutation } from "@tanstack/react-query";
import { rollWebhookSecret, type WebhookEndpoint } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Select } from "../../ui/field.tsx";
import { Secret } from "../../ui/secret.tsx";

export function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }): ReactNode {
  return (
    <div className="space-y-5">
      <Secret
        label="Signing secret"
        value={secret}
        hint="Check each delivery's signature with it. It is shown only once: store it where you keep secrets."
      />
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

export function RollWebhook({ of, onClose }: { of: WebhookEndpoint | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Roll secret" open={of !== null} onClose={onClose}>
      {of !== null && <RollForm of={of} onClose={onClose} />}
    </Dialog>
  );
}

const graces = [
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" },
  { value: "604800", label: "For 7 days" },
  { value: "0", label: "Not anymore" },
];

function RollForm({ of: { id, url }, onClose }: { of: WebhookEndpoint; onClose: () => void }): ReactNode {
  const [grace, setGrace] = useState("86400");
  const roll = useMutation({ mutationFn: () => change(() => rollWebhookSecret(api, id, { grace_seconds: Number(grace) })) });
  if (roll.data !== undefined) return <NewSecret secret={roll.data.secret} onClose={onClose} />;
  return (
    <div className="space-y-4">
      <p className="break-words">
        Deliveries to <strong className="break-all">{url}</strong> get a new secret.
      </p>
      <Select
        label="The old secret also signs"
        value={grace}
        choices={graces}
        onChange={(event) => setGrace(event.target.value)}
        hint={grace === "0" ? "A receiver that still checks with it refuses deliveries from now on." : "Until then, both work."}
      />
      <ErrorNote error={roll.error} />
      <DialogButtons
        action="Roll secret"
        kind={grace === "0" ? "danger" : "primary"}
        busy={roll.isPending}
        onClose={onClose}
        onAct={() => roll.mutate()}
      />
    </div>
  );
}
