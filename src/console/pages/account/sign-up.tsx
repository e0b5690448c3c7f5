// Creating an account. The mail that follows has the link and the code.
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { resendVerification, signUp } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { Providers, useAuthOptions } from "../../shell/providers.tsx";
import { announce } from "../../ui/announce.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { Captcha, NoCaptcha, useCleanLeave } from "./captcha.tsx";
import { AccountForm, EmailField, Heading, linkClass, useTitle } from "./form.tsx";
import { keepEmail } from "./kept-email.ts";

export function SignUp(): ReactNode {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: (input: { email: string; password: string; name?: string; captcha_token?: string }) => signUp(api, input),
    onSuccess: (_, { email }) => (keepEmail(email), setSentTo(email)),
    // A token holds once.
    onError: () => (setToken(null), setTries(tries + 1)),
  });
  const [token, setToken] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  useCleanLeave();
  const options = useAuthOptions();
  if (options?.sign_up === "closed") return <Closed />;
  const widget = options?.captcha_widget ?? null;
  const domains = options?.sign_up_domains ?? null;
  if (sentTo !== null) return <CheckMail email={sentTo} />;
  return (
    <AccountForm
      title="Create your account"
      about={
        options?.sign_up === "invite"
          ? "Accounts are by invitation: only invited addresses get the email."
          : "One key and one balance for every model."
      }
      action="Create account"
      busy={create.isPending}
      disabled={widget !== null && token === null}
      error={create.error}
      onSubmit={(field) => {
        const name = field("name").trim();
        const more = { ...(name === "" ? {} : { name }), ...(token === null ? {} : { captcha_token: token }) };
        create.mutate({ email: field("email").trim(), password: field("password"), ...more });
      }}
      beside={<Providers />}
      below={
        <span className="text-quiet">
          Have an account?{" "}
          <Link to="/sign-in" className={linkClass}>
            Sign in
          </Link>
        </span>
      }
    >
      <Field label="Name" name="name" autoComplete="name" maxLength={100} placeholder="Optional" autoFocus />
      <EmailField {...(domains === null ? {} : { hint: `Only addresses at ${domains.join(", ")} can sign up.` })} />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={200}
        hint="8 to 200 characters."
      />
      {widget !== null && <Captcha key={tries} widget={widget} onToken={setToken} />}
      {options?.captcha_required === true && widget === null && <NoCaptcha providers={options.providers} />}
    </AccountForm>
  );
}

function Closed(): ReactNode {
  useTitle("Create your account");
  return (
    <div className="space-y-6">
      <Heading title="Create your account" about="The gateway's operator creates accounts here. Ask for one." />
      <p className="text-center text-sm">
        <Link to="/sign-in" className={linkClass}>
          Sign in
        </Link>
      </p>
    </div>
  );
}

function CheckMail({ email }: { email: string }): ReactNode {
  const again = useMutation({
    mutationFn: () => resendVerification(api, { email }),
    onSuccess: () => announce("The mail was sent again."),
  });
  return (
    <div className="space-y-6">
      <Heading focused title="Check your mail" about={`A link and a code are on their way to ${email}.`} />
      <div className="space-y-3 rounded-xl border border-line bg-panel p-6 text-center shadow-card">
        <p className="text-quiet">Follow the link, or enter the code here. Nothing there? Check your spam folder.</p>
        <ErrorNote error={again.error} />
        <div className="flex flex-wrap justify-center gap-2">
          <ButtonLink kind="primary" to="/verify" search={{ email }}>
            Enter the code
          </ButtonLink>
          <Button busy={again.isPending} onClick={() => again.mutate()}>
            Send again
          </Button>
        </div>
      </div>
    </div>
  );
}
