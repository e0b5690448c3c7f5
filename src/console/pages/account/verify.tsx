// Verifying an address by the mail's link, whose token stands behind the #, or by its code. It signs in and shows the first key, once.
import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import {
  resendVerification,
  SvcError,
  verifyAccount,
  type VerificationByCode,
  type VerificationByToken,
  type Verified,
} from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, setCsrfToken } from "../../lib/api.ts";
import { usdShort } from "../../lib/money.ts";
import { queries } from "../../lib/queries.ts";
import { announce } from "../../ui/announce.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Secret } from "../../ui/secret.tsx";
import { AccountForm, EmailField, Heading, linkClass, useTitle } from "./form.tsx";
import { keptEmail } from "./kept-email.ts";
import { takeToken } from "../../lib/address-bar.ts";

export function Verify(): ReactNode {
  const [token, setToken] = useState(takeToken);
  const search = useSearch({ from: "/outside/verify" });
  const [known] = useState(search.email ?? keptEmail());
  const [email, setEmail] = useState(known);
  const verify = useMutation({
    mutationFn: (input: VerificationByToken | VerificationByCode) => verifyAccount(api, input),
    onSuccess: ({ csrf_token }) => (queries.clear(), setCsrfToken(csrf_token)),
    // A link that no longer holds gives way to a code.
    onError: (error) => void (SvcError.is(error, "invalid_token") && setToken(null)),
  });
  const again = useMutation({
    mutationFn: () => resendVerification(api, { email: email.trim() }),
    onSuccess: () => (verify.reset(), setResent(true), announce("A new code is on its way.")),
  });
  const [resent, setResent] = useState(false);
  const late = verify.isError || resent;
  if (verify.data !== undefined) return <Done verified={verify.data} />;
  return (
    <AccountForm
      title="Verify your email"
      about={token === null ? "Enter the code from the email that we sent you." : "One more click, and your account is ready."}
      action="Verify"
      busy={verify.isPending}
      error={again.error ?? verify.error}
      onSubmit={(field) => {
        again.reset();
        verify.mutate(token === null ? { email: email.trim(), code: field("code").trim() } : { token });
      }}
      below={
        <Link to="/sign-in" className={linkClass}>
          Sign in
        </Link>
      }
    >
      {token === null && (known === "" || late) && <EmailField value={email} onChange={(event) => setEmail(event.target.value)} />}
      {token === null && (
        <Field label="Code" name="code" autoComplete="one-time-code" inputMode="numeric" required maxLength={40} autoFocus />
      )}
      {token === null && late && (
        <Button busy={again.isPending} disabled={email.trim() === ""} onClick={() => again.mutate()}>
          Send a new code
        </Button>
      )}
    </AccountForm>
  );
}

function Done({ verified }: { verified: Verified }): ReactNode {
  useTitle("Email verified");
  const granted = verified.credit_granted_usd;
  return (
    <div className="space-y-6">
      <Heading
        focused
        title="Your email is verified"
        about={granted > 0 ? `${usdShort(granted)} of credit is yours to try models with.` : undefined}
      />
      <div className="space-y-4 rounded-xl border border-line bg-panel p-6 shadow-card">
        <Secret label="API key" value={verified.api_key} hint="Your first key. It is shown only once: store it where you keep secrets." />
        <ButtonLink kind="primary" to="/">
          Go to Home
        </ButtonLink>
      </div>
    </div>
  );
}
