// Creating an account for a customer, with money where it has paid or is given some.
import { createAccount } from "svc-sdk/operator";
import { type ReactNode, useRef, useState } from "react";
import { api } from "../../lib/api.ts";
import { Field, positiveUsd } from "../../ui/field.tsx";
import { Toggle } from "../../ui/toggle.tsx";
import { useAddress } from "../address.tsx";
import { ChangeDialog } from "../change-dialog.tsx";

const usdOf = (text: string) => (text.trim() === "" || Number(text) === 0 ? undefined : Number(text));

export function CreateAccount({ onClose }: { onClose: () => void }): ReactNode {
  const { open } = useAddress();
  const [email, setEmail] = useState("");
  const [deposit, setDeposit] = useState("");
  const [credit, setCredit] = useState("");
  const [verified, setVerified] = useState(false);
  const [signup, setSignup] = useState(false);
  const made = useRef<string | null>(null);
  const given = { deposit_usd: usdOf(deposit), credit_usd: usdOf(credit) };
  const money = Object.fromEntries(Object.entries(given).filter(([, usd]) => usd !== undefined));
  return (
    <ChangeDialog
      action="Create account"
      open
      onClose={() => (made.current === null ? onClose() : open(`accounts/${made.current}`))}
      make={async (reason) => {
        const account = await createAccount(api, { email: email.trim(), verified, signup_credit: signup, ...money, reason });
        made.current = account.id;
        return `${account.email} has the account ${account.id}.`;
      }}
    >
      <p>The owner sets a password with “Forgot password?” and creates keys; no operator sees a key.</p>
      <Field
        label="Email"
        type="email"
        required
        maxLength={320}
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Toggle label="The address is verified" on={verified} set={setVerified} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Deposit (USD)"
          {...positiveUsd}
          value={deposit}
          onChange={(event) => setDeposit(event.target.value)}
          hint="Money paid in; counts toward the tier."
        />
        <Field
          label="Credit (USD)"
          {...positiveUsd}
          value={credit}
          onChange={(event) => setCredit(event.target.value)}
          hint="A gift; does not count toward the tier."
        />
      </div>
      <Toggle label="Give the signup credit now" on={signup} set={setSignup} />
    </ChangeDialog>
  );
}
