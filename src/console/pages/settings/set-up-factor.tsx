// Turning the second factor on, in three steps: the secret goes into an app, a code of the app proves it, the recovery codes are kept.
import { useMutation } from "@tanstack/react-query";
import { beginTotp, type BegunTotp, confirmTotp } from "svc-sdk/functions";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { saveFile } from "../../lib/save.ts";
import { ConfirmIdentity, needsConfirmation } from "../../shell/confirm-identity.tsx";
import { Button } from "../../ui/button.tsx";
import { DialogButtons } from "../../ui/dialog.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { QrCode } from "../../ui/qr-code.tsx";
import { Secret } from "../../ui/secret.tsx";

export function SetUpFactor({ onClose }: { onClose: () => void }): ReactNode {
  const begin = useMutation({ mutationFn: () => change(() => beginTotp(api)) });
  if (needsConfirmation(begin.error)) return <ConfirmIdentity onClose={onClose} onDone={() => begin.mutate()} />;
  if (begin.data !== undefined) return <EnterCode begun={begin.data} onClose={onClose} />;
  return (
    <div className="space-y-4">
      <p>You need an authenticator app: one that came with your phone, a password manager, or any other app that makes time-based codes.</p>
      <ErrorNote error={begin.error} />
      <DialogButtons action="Continue" busy={begin.isPending} onClose={onClose} onAct={() => begin.mutate()} />
    </div>
  );
}

function EnterCode({ begun, onClose }: { begun: BegunTotp; onClose: () => void }): ReactNode {
  const [code, setCode] = useState("");
  const confirm = useMutation({ mutationFn: () => change(() => confirmTotp(api, { code: code.trim() })) });
  if (confirm.data !== undefined) return <KeepCodes codes={confirm.data.recovery_codes} onClose={onClose} />;
  const submit = (event: FormEvent) => (event.preventDefault(), confirm.mutate());
  return (
    <form className="space-y-4" onSubmit={submit}>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <QrCode text={begun.otpauth_uri} label="The secret, for the app's camera" />
        <p className="max-w-52 text-quiet">Add an account in the app, and point its camera here.</p>
      </div>
      <Secret label="Secret" value={begun.secret} hint="No camera? Choose to enter a key in the app, and type or paste this one." />
      <p>
        <a href={begun.otpauth_uri} className="text-accent underline underline-offset-2">
          Open the app on this device
        </a>{" "}
        <span className="text-quiet">if it is installed here; then there is nothing to type.</span>
      </p>
      <Field
        label="Code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        minLength={6}
        maxLength={40}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        hint="The six digits that the app shows."
      />
      <ErrorNote error={confirm.error} />
      <DialogButtons action="Turn on" busy={confirm.isPending} onClose={onClose} />
    </form>
  );
}

function KeepCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }): ReactNode {
  const text = `${codes.join("\n")}\n`;
  return (
    <div className="space-y-4">
      <p>
        The second factor is on. Each of these recovery codes works once in place of a code from the app. They are shown only once: keep
        them where you can find them without your phone.
      </p>
      <ul aria-label="Recovery codes" className="grid gap-1 rounded-lg bg-sunken p-4 font-mono text-sm sm:grid-cols-2">
        {codes.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <CopyButton text={text} />
        <Button onClick={() => saveFile("recovery-codes.txt", new Blob([text], { type: "text/plain" }))}>Save as a file</Button>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
