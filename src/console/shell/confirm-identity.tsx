// Asks for the password once more, and for a code where the person has a second factor: what the gateway wants before a change that would help
// a thief of the session most.
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { confirmSession, SvcError } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../lib/api.ts";
import { DialogButtons } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field } from "../ui/field.tsx";
import { Providers, useAuthOptions } from "./providers.tsx";

interface ConfirmIdentityProps {
  onClose: () => void;
  /** The session is confirmed: make the change. */
  onDone: () => void;
}

export function needsConfirmation(error: unknown): boolean {
  return SvcError.is(error, "confirmation_required");
}

export function ConfirmIdentity({ onClose, onDone }: ConfirmIdentityProps): ReactNode {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const { href } = useLocation();
  const hasProviders = (useAuthOptions()?.providers.length ?? 0) > 0;
  const given = { ...(password === "" ? {} : { password }), ...(code.trim() === "" ? {} : { code: code.trim() }) };
  const confirming = useMutation({
    mutationFn: () => change(() => confirmSession(api, given)),
    onSuccess: onDone,
    // These are 401, too, which elsewhere means that the session has ended.
    onError: (error) => {
      if (SvcError.is(error, "totp_required")) setNeedsCode(true);
      else if (SvcError.is(error, "invalid_credentials")) setPassword("");
    },
  });
  return (
    <form className="space-y-4" onSubmit={(event) => (event.preventDefault(), confirming.mutate())}>
      <p>You signed in some time ago. Confirm that it is you, and the change is made.</p>
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required={!needsCode}
        autoFocus
        maxLength={200}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {needsCode && (
        <Field
          label="Code"
          autoComplete="one-time-code"
          required
          autoFocus
          minLength={6}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          hint="Six digits from your authenticator app, or a recovery code."
        />
      )}
      <ErrorNote error={SvcError.is(confirming.error, "totp_required") ? null : confirming.error} />
      <DialogButtons action="Confirm" busy={confirming.isPending} onClose={onClose} />
      {hasProviders && (
        <div className="space-y-3 border-t border-line pt-4">
          <p className="text-quiet">No password? Sign in with your provider again, then make the change.</p>
          <Providers next={href} divided={false} />
        </div>
      )}
    </form>
  );
}
