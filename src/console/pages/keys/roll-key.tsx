// Rolling a key: a new one with the same name and limit, while the old one goes on until somebody disables or deletes it.
import { useMutation } from "@tanstack/react-query";
import { type ApiKeyRecord, createApiKey } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { keysQuery, queries } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Created } from "./create-key.tsx";

export function RollKey({ replaced, onClose }: { replaced: ApiKeyRecord | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Roll key" open={replaced !== null} onClose={onClose}>
      {replaced !== null && <RollForm replaced={replaced} onClose={onClose} />}
    </Dialog>
  );
}

function RollForm({ replaced, onClose }: { replaced: ApiKeyRecord; onClose: () => void }): ReactNode {
  const { name, masked, limit_usd, limit_resets, lifetime_limit_usd } = replaced;
  const limits = limit_resets === "never" ? { limit_usd } : { limit_usd, limit_resets, lifetime_limit_usd };
  const roll = useMutation({
    mutationFn: () => change(() => createApiKey(api, { name, ...limits })),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  if (roll.data !== undefined) return <Created secret={roll.data.api_key} onClose={onClose} />;
  return (
    <div className="space-y-4">
      <p className="break-words">
        A new key named <strong>{name}</strong> with the same limits is created. The old one ({masked}) goes on until you disable or delete
        it, so that programs can change over without a pause.
      </p>
      <ErrorNote error={roll.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" busy={roll.isPending} onClick={() => roll.mutate()}>
          Roll key
        </Button>
      </div>
    </div>
  );
}
