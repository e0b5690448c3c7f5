// Giving an operator's role to an account, and taking it.
import type { OperatorRecord } from "svc-sdk";
import { removeOperator, setOperator } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { Field, Select } from "../../ui/field.tsx";
import { ChangeDialog } from "../change-dialog.tsx";
import type { Role } from "../role.ts";

const roles: readonly Role[] = ["support", "finance", "admin"];

/** `account`: whose role is changed; empty for a new operator. */
export function GiveRole({ account, onClose }: { account: string; onClose: () => void }): ReactNode {
  const [email, setEmail] = useState(account);
  const [role, setRole] = useState<Role>("support");
  return (
    <ChangeDialog
      action={account === "" ? "Add operator" : "Change role"}
      open
      onClose={onClose}
      make={async (reason) => (await setOperator(api, { account: email.trim(), role, reason }), `${email.trim()} has the role ${role}.`)}
    >
      <Field
        label="Account"
        required
        maxLength={320}
        readOnly={account !== ""}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        hint="Its email address, or its id."
      />
      <Select
        label="Role"
        value={role}
        choices={roles.map((value) => ({ value, label: value }))}
        onChange={(event) => setRole(roles.find((one) => one === event.target.value) ?? "support")}
      />
    </ChangeDialog>
  );
}

export function TakeRole({ record, onClose }: { record: OperatorRecord | null; onClose: () => void }): ReactNode {
  const email = record?.email ?? "";
  return (
    <ChangeDialog
      action="Remove operator"
      open={record !== null}
      onClose={onClose}
      make={async (reason) => (await removeOperator(api, { account: email, reason }), `${email} is no longer an operator.`)}
    >
      <p className="break-words">
        <strong>{email}</strong> loses the role {record?.role} at once. The account itself stays.
      </p>
    </ChangeDialog>
  );
}
