// A forgotten password: ask for the mail, then choose a new one with its link.
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { forgotPassword, resetPassword } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { AccountForm, EmailField, Heading, linkClass, useTitle } from "./form.tsx";
import { takeToken } from "../../lib/address-bar.ts";

export function ForgotPassword(): ReactNode {
  const ask = useMutation({ mutationFn: (email: string) => forgotPassword(api, { email }) });
  if (ask.isSuccess)
    return <Notice title="Check your mail" text={`If ${ask.variables} has an account, a link to choose a new password is on its way.`} />;
  return (
    <AccountForm
      title="Forgot your password?"
      about="We send you a link to choose a new one."
      action="Send the link"
      busy={ask.isPending}
      error={ask.error}
      onSubmit={(field) => ask.mutate(field("email").trim())}
      below={
        <Link to="/sign-in" className={linkClass}>
          Sign in
        </Link>
      }
    >
      <EmailField autoComplete="username" autoFocus />
    </AccountForm>
  );
}

export function ResetPassword(): ReactNode {
  const [token] = useState(takeToken);
  const reset = useMutation({
    mutationFn: (password: string) => resetPassword(api, { token: token ?? "", password }),
    onError: () => undefined,
  });
  if (token === null) return <Notice title="The link is incomplete" text="Open it again from the email, or ask for a new one." />;
  if (reset.isSuccess) return <Notice title="Your password is changed" text="Every session has ended: sign in with the new password." />;
  return (
    <AccountForm
      title="Choose a new password"
      action="Change password"
      busy={reset.isPending}
      error={reset.error}
      onSubmit={(field) => reset.mutate(field("password"))}
    >
      <Field
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={200}
        hint="8 to 200 characters."
      />
    </AccountForm>
  );
}

function Notice({ title, text }: { title: string; text: string }): ReactNode {
  useTitle(title);
  return (
    <div className="space-y-6 text-center">
      <Heading title={title} about={text} />
      <ButtonLink to="/sign-in">Go to sign-in</ButtonLink>
    </div>
  );
}
