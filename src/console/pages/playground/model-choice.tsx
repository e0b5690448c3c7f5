// Which model a column asks.
import type { ModelRow } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { needsCredit, useHasCredits } from "../../lib/prices.ts";
import { IconButton } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";

interface ModelChoiceProps {
  label: string;
  models: readonly ModelRow[];
  value: string;
  disabled: boolean;
  onChange: (model: string) => void;
  onRemove: (() => void) | undefined;
}

export function ModelChoice({ label, models, value, disabled, onChange, onRemove }: ModelChoiceProps): ReactNode {
  const hasCredits = useHasCredits();
  return (
    <div className="flex max-w-full min-w-48 items-end gap-1">
      <Select
        label={label}
        className="min-w-0 flex-1"
        disabled={disabled}
        value={value}
        choices={models.map((model) => ({
          value: model.id,
          label: needsCredit(model, hasCredits) ? `${model.name} (add credit first)` : model.name,
        }))}
        onChange={(event) => onChange(event.target.value)}
      />
      {onRemove !== undefined && (
        <IconButton label={`Remove ${label.toLowerCase()}`} disabled={disabled} onClick={onRemove}>
          <Icon name="close" />
        </IconButton>
      )}
    </div>
  );
}
