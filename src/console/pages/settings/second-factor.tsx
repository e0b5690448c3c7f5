// The second factor: whether it is on, turning it on with an authenticator app, turning it off.
import { useMutation, useQuery } from "@tanstack/react-query";
import { deleteTotp, getTotp } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { queries } from "../../lib/queries.ts";
import { dayOf } from "../../lib/time.ts";
import { ConfirmIdentity, needsConfirmation } from "../../shell/confirm-identity.tsx";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge } from "../../ui/parts.tsx";
import { SetUpFactor } from "./set-up-factor.tsx";

export function SecondFactor(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: ["totp"], queryFn: () => getTotp(api) });
  const [open, setOpen] = useState(false);
  const close = () => (setOpen(false), queries.invalidateQueries({ queryKey: ["totp"] }));
  const on = data?.enabled ?? false;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0 max-w-xl">
        <p className="flex items-center gap-2 font-medium">
          Second factor {data !== undefined && <Badge tone={on ? "good" : "quiet"}>{on ? "On" : "Off"}</Badge>}
        </p>
        <p className="text-quiet">
          {data !== undefined && on
            ? `On since ${dayOf(data.enabled_at)}. ${data.recovery_codes_left} recovery codes are left.`
            : "Signing in also asks for a code from an authenticator app, so a stolen password is not enough."}
        </p>
      </div>
      {data !== undefined && <Button onClick={() => setOpen(true)}>{on ? "Turn off" : "Set up"}</Button>}
      <ErrorNote error={error} retry={() => void refetch()} />
      <Dialog title={on ? "Turn off the second factor" : "Set up a second factor"} open={open} onClose={() => void close()}>
        {open && (on ? <TurnOff onClose={() => void close()} /> : <SetUpFactor onClose={() => void close()} />)}
      </Dialog>
    </div>
  );
}

function TurnOff({ onClose }: { onClose: () => void }): ReactNode {
  const remove = useMutation({
    mutationFn: () => change(() => deleteTotp(api)),
    onSuccess: () => (announce("The second factor is off."), onClose()),
  });
  if (needsConfirmation(remove.error)) return <ConfirmIdentity onClose={onClose} onDone={() => remove.mutate()} />;
  return (
    <div className="space-y-4">
      <p>From then on, signing in asks only for the password. The recovery codes no longer work.</p>
      <ErrorNote error={remove.error} />
      <DialogButtons action="Turn off" kind="danger" busy={remove.isPending} onClose={onClose} onAct={() => remove.mutate()} />
    </div>
  );
}
