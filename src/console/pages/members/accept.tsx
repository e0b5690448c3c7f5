// Accepting an invitation with the mail's link, whose token stands behind the #. The address that is signed in has to be the invited one.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { acceptInvitation } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { sessionQuery } from "../../lib/queries.ts";
import { takeToken } from "../../lib/address-bar.ts";
import { enterWorkspace } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Page } from "../../ui/parts.tsx";

export function AcceptInvitation(): ReactNode {
  const [token] = useState(takeToken);
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: (given: string) => change(() => acceptInvitation(api, { token: given })),
    onSuccess: ({ id, name }) => (announce(`You are now a member of ${name}.`), enterWorkspace(id), navigate({ to: "/", replace: true })),
  });
  return (
    <Page title="Join a workspace">
      <Card title="Invitation">
        <div className="space-y-4">
          {token === null ? (
            <p>The link is incomplete. Open it again from the email.</p>
          ) : (
            <>
              <p className="break-words">
                You are signed in as <strong>{session?.user.email}</strong>. The invitation has to be for this address.
              </p>
              <ErrorNote error={accept.error} />
              <Button kind="primary" busy={accept.isPending} onClick={() => accept.mutate(token)}>
                Accept invitation
              </Button>
            </>
          )}
        </div>
      </Card>
    </Page>
  );
}
