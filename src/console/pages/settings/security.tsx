// The password, the second factor, and where the person is signed in. The password is chosen anew by a link in a mail, which proves more than an open page does.
import { useMutation, useQuery } from "@tanstack/react-query";
import { forgotPassword } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { sessionQuery } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card } from "../../ui/parts.tsx";
import { ExportAccount } from "./account.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

export function Security(): ReactNode {
  return (
    <Card title="Security">
      <div className="space-y-6">
        <Password />
        <SecondFactor />
        <Sessions />
        <ExportAccount />
      </div>
    </Card>
  );
}

function Password(): ReactNode {
  const { data } = useQuery(sessionQuery);
  const email = data?.user.email ?? "";
  const ask = useMutation({ mutationFn: () => forgotPassword(api, { email }) });
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0 max-w-xl">
        <p className="font-medium">Password</p>
        <p className="text-quiet">
          {ask.isSuccess
            ? `A link to choose a new one is on its way to ${email}. Choosing one ends every session.`
            : "We send you a link to choose a new one."}
        </p>
      </div>
      {!ask.isSuccess && (
        <Button busy={ask.isPending} disabled={email === ""} onClick={() => ask.mutate()}>
          Change password
        </Button>
      )}
      <ErrorNote error={ask.error} />
    </div>
  );
}
