// Creating a key: name and limits first, then the secret, once.
import { useMutation } from "@tanstack/react-query";
import { type ApiKeyRequest, createApiKey } from "svc-sdk/functions";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { keysQuery, queries } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Secret } from "../../ui/secret.tsx";
import { KeyFields, keyInputOf } from "./key-fields.tsx";

export function CreateKey({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Create key" open={open} onClose={onClose}>
      <CreateForm onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({ onClose }: { onClose: () => void }): ReactNode {
  const [secret, setSecret] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: (input: ApiKeyRequest) => change(() => createApiKey(api, input)),
    onSuccess: ({ api_key }) => (setSecret(api_key), queries.invalidateQueries({ queryKey: keysQuery.queryKey })),
  });
  if (secret !== null) return <Created secret={secret} onClose={onClose} />;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(keyInputOf(new FormData(event.currentTarget)));
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <KeyFields />
      <ErrorNote error={create.error} />
      <DialogButtons action="Create key" busy={create.isPending} onClose={onClose} />
    </form>
  );
}

export function Created({ secret, onClose }: { secret: string; onClose: () => void }): ReactNode {
  return (
    <div className="space-y-5">
      <Secret autoFocus label="API key" value={secret} hint="It is shown only once: store it where you keep secrets." />
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
