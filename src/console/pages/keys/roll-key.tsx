// Rolling a key: a new secret in place, while the old one goes on for as long as is chosen, so that programs can change over.
import { useMutation } from "@tanstack/react-query";
import { type ApiKeyRecord, rollApiKey } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { keysQuery, queries } from "../../lib/queries.ts";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Select } from "../../ui/field.tsx";
import { Created } from "./create-key.tsx";

export function RollKey({ replaced, onClose }: { replaced: ApiKeyRecord | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Roll key" open={replaced !== null} onClose={onClose}>
      {replaced !== null && <RollForm replaced={replaced} onClose={onClose} />}
    </Dialog>
  );
}

const graces = [
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" },
  { value: "604800", label: "For 7 days" },
  { value: "0", label: "Not anymore" },
];

function RollForm({ replaced: { id, name, masked }, onClose }: { replaced: ApiKeyRecord; onClose: () => void }): ReactNode {
  const [grace, setGrace] = useState("86400");
  const roll = useMutation({
    mutationFn: () => change(() => rollApiKey(api, id, { grace_seconds: Number(grace) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  if (roll.data !== undefined) return <Created secret={roll.data.api_key} onClose={onClose} />;
  return (
    <div className="space-y-4">
      <p className="break-words">
        The key <strong>{name}</strong> ({masked}) gets a new secret. Its name, limits and statistics stay.
      </p>
      <Select
        label="The old secret works"
        value={grace}
        choices={graces}
        onChange={(event) => setGrace(event.target.value)}
        hint={grace === "0" ? "Programs that use it are refused from now on." : "An even older secret stops working now."}
      />
      <ErrorNote error={roll.error} />
      <DialogButtons
        action="Roll key"
        kind={grace === "0" ? "danger" : "primary"}
        busy={roll.isPending}
        onClose={onClose}
        onAct={() => roll.mutate()}
      />
    </div>
  );
}
