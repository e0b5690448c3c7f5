// The buttons of the external providers. One leads to its provider's page, which sends the person back to /sign-in/NAME.
import { useMutation, useQuery } from "@tanstack/react-query";
import { startSignIn } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api } from "../lib/api.ts";
import { keepNext } from "../lib/next-page.ts";
import { gatewayUrl } from "../lib/place.ts";
import { authOptionsQuery } from "../lib/queries.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";

/** Undefined until it is known: forms don't wait for it. */
export function useAuthOptions() {
  return useQuery(authOptionsQuery).data;
}

/** `next`: where the person was on the way to. */
export function Providers({ next, divided = true }: { next?: string | undefined; divided?: boolean }): ReactNode {
  const providers = useAuthOptions()?.providers ?? [];
  const leave = useMutation({
    mutationFn: (name: string) => startSignIn(api, name, { redirect_uri: `${gatewayUrl}/console/sign-in/${encodeURIComponent(name)}` }),
    onSuccess: ({ authorization_url }) => (keepNext(next), location.assign(authorization_url)),
    // A provider that refuses this gateway ends no session.
    onError: () => undefined,
  });
  if (providers.length === 0) return null;
  return (
    <div className="space-y-3">
      {divided && (
        <p className="flex items-center gap-3 text-xs text-quiet before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or
        </p>
      )}
      {providers.map(({ name, display_name }) => (
        <Button
          key={name}
          className="w-full"
          busy={leave.variables === name && (leave.isPending || leave.isSuccess)}
          disabled={leave.isPending || leave.isSuccess}
          onClick={() => leave.mutate(name)}
        >
          <span className="truncate">Continue with {display_name}</span>
        </Button>
      ))}
      <ErrorNote error={leave.error} />
    </div>
  );
}
