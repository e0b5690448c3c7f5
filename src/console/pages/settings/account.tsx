// The person's account: all that is stored of it as a file, and its end.
import { useMutation, useQuery } from "@tanstack/react-query";
import { confirmSession, deleteAccount, getSession, SvcError } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { download } from "../../lib/save.ts";
import { consolePath } from "../../lib/place.ts";
import { sessionQuery } from "../../lib/queries.ts";
import { keepWorkspace } from "../../lib/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";

export function ExportAccount(): ReactNode {
  const save = useMutation({
    mutationFn: () =>
      download({ path: "/v1/account/export", accept: "application/x-ndjson", name: "account.ndjson", again: () => getSession(api) }),
  });
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0 max-w-xl">
          <p className="font-medium">Your data</p>
          <p className="text-quiet">Everything stored about you, as a file with one JSON record per line.</p>
        </div>
        <Button busy={save.isPending} onClick={() => save.mutate()}>
          Export data
        </Button>
      </div>
      <ErrorNote error={save.error} />
    </div>
  );
}

export function DeleteAccount(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [forfeit, setForfeit] = useState(false);
  const remove = useMutation({
    mutationFn: async () => {
      const given = { ...(password === "" ? {} : { password }), ...(code === "" ? {} : { code }) };
      if (password !== "" || code !== "") await change(() => confirmSession(api, given));
      return change(() => deleteAccount(api, { forfeit_balance: forfeit }));
    },
    onSuccess: () => (keepWorkspace(null), location.assign(`${consolePath}/sign-in`)),
    // A wrong password is a 401 too: it ends no session.
    onError: () => undefined,
  });
  const close = () => (setPassword(""), setCode(""), setForfeit(false), remove.reset(), setOpen(false));
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0 max-w-xl">
        <p className="font-medium">Delete your account</p>
        <p className="text-quiet">Keys and sessions end at once. Records that the law requires are kept, without your name.</p>
      </div>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      <Confirm
        action="Delete account"
        open={open}
        busy={remove.isPending}
        error={remove.error}
        onClose={close}
        onConfirm={() => remove.mutate()}
      >
        <p>
          The account <strong>{session?.user.email}</strong> is deleted with its keys, sessions and memberships. This cannot be undone.
        </p>
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint="Not needed if you signed in a few minutes ago."
        />
        {(code !== "" || SvcError.is(remove.error, "totp_required")) && (
          <Field
            label="Code"
            autoComplete="one-time-code"
            maxLength={40}
            value={code}
            onChange={(event) => setCode(event.target.value.trim())}
            hint="Six digits from your authenticator app, or a recovery code."
          />
        )}
        <label className="flex items-start gap-2">
          <input type="checkbox" checked={forfeit} onChange={(event) => setForfeit(event.target.checked)} className="mt-1" />
          <span>Give up the remaining balance.</span>
        </label>
      </Confirm>
    </div>
  );
}
