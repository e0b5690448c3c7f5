// Signing in with a password, or with an external provider.
import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { signIn, SvcError } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { Providers, useAuthOptions } from "../../shell/providers.tsx";
import { Field } from "../../ui/field.tsx";
import { useEnter } from "./enter.ts";
import { AccountForm, EmailField, linkClass } from "./form.tsx";

export function SignIn(): ReactNode {
  const { next } = useSearch({ from: "/outside/sign-in" });
  const enterWith = useEnter();
  const closed = useAuthOptions()?.sign_up === "closed";
  const [needsCode, setNeedsCode] = useState(false);
  const enter = useMutation({
    mutationFn: (input: { email: string; password: string; code?: string }) => signIn(api, input),
    onSuccess: (session) => enterWith(session, next),
    // A wrong password is a 401 too: it ends no session.
    onError: (error) => void (SvcError.is(error, "totp_required") && setNeedsCode(true)),
  });
  return (
    <AccountForm
      title="Sign in"
      about={next === undefined ? undefined : "You are signed out. Sign in to continue where you were."}
      action="Sign in"
      busy={enter.isPending}
      error={SvcError.is(enter.error, "totp_required") ? null : enter.error}
      onSubmit={(field) =>
        enter.mutate({
          email: field("email").trim(),
          password: field("password"),
          ...(needsCode ? { code: field("code").trim() } : {}),
        })
      }
      beside={<Providers next={next} />}
      below={
        <>
          {!closed && (
            <Link to="/sign-up" className={linkClass}>
              Create account
            </Link>
          )}
          <Link to="/forgot-password" className={linkClass}>
            Forgot password?
          </Link>
          {SvcError.is(enter.error) && (
            <Link to="/verify" className={linkClass}>
              Verify your email
            </Link>
          )}
        </>
      }
    >
      <EmailField autoComplete="username" autoFocus />
      <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      {needsCode && (
        <Field
          label="Code"
          name="code"
          autoComplete="one-time-code"
          required
          autoFocus
          minLength={6}
          maxLength={40}
          hint="Six digits from your authenticator app, or a recovery code."
        />
      )}
    </AccountForm>
  );
}
