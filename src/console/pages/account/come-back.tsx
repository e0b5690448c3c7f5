// Back from an external provider: what it sent is confirmed by the gateway, once, and the session begins.
import { useMutation } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { signInWithProvider, SvcError } from "svc-sdk/functions";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api } from "../../lib/api.ts";
import { takeNext } from "../../lib/next-page.ts";
import { type Returned, takeReturned } from "../../lib/address-bar.ts";
import { Providers } from "../../shell/providers.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useEnter } from "./enter.ts";
import { Heading, linkClass, useTitle } from "./form.tsx";

export function ComeBack(): ReactNode {
  useTitle("Sign in");
  const { provider } = useParams({ from: "/outside/sign-in/$provider" });
  const [{ code, state, error }] = useState(takeReturned);
  const begun = useRef(false);
  const enter = useEnter();
  const finish = useMutation({
    mutationFn: (proof: { code: string; state: string }) => signInWithProvider(api, provider, proof),
    onSuccess: (session) => enter(session, takeNext()),
    // A provider that does not confirm is a 401 too: it ends no session.
    onError: () => undefined,
  });
  useEffect(() => {
    if (begun.current || code === null || state === null || error !== null) return;
    begun.current = true;
    finish.mutate({ code, state });
  });
  const why = whyNot({ code, state, error }, finish.error);
  return (
    <div className="space-y-6">
      <Heading title="Sign in" about={why ?? "The provider's answer is being confirmed…"} />
      <ErrorNote error={finish.error} />
      {why !== null && (
        <>
          <Providers divided={false} />
          <p className="text-center text-sm">
            <Link to="/sign-in" className={linkClass}>
              Back to sign-in
            </Link>
          </p>
        </>
      )}
    </div>
  );
}

/** Null: it may still succeed. What the provider says is not shown: anyone can write it into a link. */
function whyNot({ code, state, error }: Returned, refused: unknown): string | null {
  if (error === "access_denied") return "You did not agree on the provider's page, so nothing was shared.";
  if (error !== null) return "The provider did not sign you in. Try again, or sign in another way.";
  if (code === null || state === null) return "A provider sends you back to this page. To sign in, start here.";
  if (SvcError.is(refused, "signup_closed")) return "You have no account here yet, and sign-up is closed to you.";
  return refused === null ? null : "That did not work. Start again: a sign-in with a provider works once, within ten minutes.";
}
