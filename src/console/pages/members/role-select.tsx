// Chooses a role; what each may do stands with it.
import type { Role } from "svc-sdk/types";
import type { ReactNode } from "react";
import { roles } from "../../lib/workspace.ts";
import { controlClass } from "../../ui/field.tsx";

interface RoleSelectProps {
  label: string;
  value: Role;
  offered: readonly Role[];
  onChange: (role: Role) => void;
}

export function RoleSelect({ label, value, offered, onChange }: RoleSelectProps): ReactNode {
  return (
    <select
      aria-label={label}
      title={roles[value].about}
      value={value}
      onChange={(event) => onChange(event.target.value as Role)}
      className={`${controlClass} w-auto! min-w-32`}
    >
      {offered.map((role) => (
        <option key={role} value={role}>
          {roles[role].label}
        </option>
      ))}
    </select>
  );
}
