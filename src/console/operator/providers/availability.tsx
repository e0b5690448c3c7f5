// Taking a provider or one of its routes out of use for a while, and using it again.
import { disableProvider, enableProvider } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { when } from "../../lib/time.ts";
import { Select } from "../../ui/field.tsx";
import { ChangeDialog } from "../change-dialog.tsx";

export interface Target {
  provider: string;
  /** Absent: the provider as a whole. */
  upstreamModel?: string;
}

const nameOf = ({ provider, upstreamModel }: Target) => (upstreamModel === undefined ? provider : `${provider}/${upstreamModel}`);
const routeOf = ({ upstreamModel }: Target) => (upstreamModel === undefined ? {} : { upstream_model: upstreamModel });

const times = [[10, "10 minutes"], [60, "1 hour"], [24 * 60, "1 day"], [7 * 24 * 60, "7 days"], [30 * 24 * 60, "30 days"]] as const; // prettier-ignore

interface AvailabilityProps {
  target: Target;
  onClose: () => void;
}

export function Disable({ target, onClose }: AvailabilityProps): ReactNode {
  const [chosen, setChosen] = useState<number>(times[0][0]);
  const [minutes, label] = times.find(([length]) => length === chosen) ?? times[0];
  const name = nameOf(target);
  return (
    <ChangeDialog
      action={`Disable for ${label}`}
      open
      onClose={onClose}
      make={async (reason) => {
        const provider = await disableProvider(api, target.provider, { minutes, reason, ...routeOf(target) });
        const { disabled } = provider.routes.find(({ upstream_model }) => upstream_model === target.upstreamModel) ?? provider;
        return `${name} is disabled until ${when(disabled?.until)}.`;
      }}
    >
      <p className="break-words">
        Within two seconds, no process starts a call to <strong>{name}</strong>; calls under way continue. A model with no other route fails
        until then.
      </p>
      <Select
        label="For"
        value={String(minutes)}
        choices={times.map(([length, text]) => ({ value: String(length), label: text }))}
        onChange={(event) => setChosen(Number(event.target.value))}
      />
    </ChangeDialog>
  );
}

export function Enable({ target, onClose }: AvailabilityProps): ReactNode {
  const name = nameOf(target);
  return (
    <ChangeDialog
      action="Enable"
      open
      onClose={onClose}
      make={async (reason) => (await enableProvider(api, target.provider, { reason, ...routeOf(target) }), `${name} is used again.`)}
    >
      <p className="break-words">
        <strong>{name}</strong> is used again at once, where the catalog puts it.
      </p>
    </ChangeDialog>
  );
}
