// Settings that change while the gateway runs: their values, and the dialogs that set one and take it back.
import type { ChangeableSettings, OperatorSetting, OperatorSettingsChange } from "svc-sdk";
import { updateOperatorSettings } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { dayOf } from "../../lib/time.ts";
import { Field, Select, TextArea } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Card } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ChangeDialog } from "../change-dialog.tsx";
import { useMay } from "../role.ts";

type Name = keyof ChangeableSettings;
type Change = Omit<OperatorSettingsChange, "reason">;

interface ControlProps {
  label: string;
  text: string;
  onText: (text: string) => void;
}

interface Kind {
  name: Name;
  label: string;
  shown: (values: ChangeableSettings) => string;
  /** As the control holds it. */
  textOf: (values: ChangeableSettings) => string;
  change: (text: string) => Change;
  Control: (props: ControlProps) => ReactNode;
}

const signUps = { open: "Anyone", invite: "Invited addresses only", closed: "Nobody" } as const;
const isMode = (text: string): text is keyof typeof signUps => text in signUps;
const linesOf = (text: string) => text.split(/[\s,]+/).filter((line) => line !== "");
const listed = (domains: readonly string[], none: string) => (domains.length === 0 ? none : domains.join(", "));

const kinds: readonly Kind[] = [
  {
    name: "notice",
    label: "Notice to everyone",
    shown: ({ notice }) => notice || "None",
    textOf: ({ notice }) => notice,
    change: (text) => ({ notice: text.trim() }),
    Control: ({ label, text, onText }) => (
      <Field
        label={label}
        maxLength={300}
        value={text}
        onChange={(event) => onText(event.target.value)}
        hint="The console shows it on every page, also before people sign in. Leave it empty for no notice."
      />
    ),
  },
  {
    name: "sign_up",
    label: "Who may sign up",
    shown: ({ sign_up }) => signUps[sign_up],
    textOf: ({ sign_up }) => sign_up,
    change: (text) => ({ sign_up: isMode(text) ? text : "closed" }),
    Control: choice(Object.entries(signUps).map(([value, label]) => ({ value, label }))),
  },
  {
    name: "sign_up_domains",
    label: "Domains that may sign up",
    shown: ({ sign_up_domains }) => listed(sign_up_domains, "Any"),
    textOf: ({ sign_up_domains }) => sign_up_domains.join("\n"),
    change: (text) => ({ sign_up_domains: linesOf(text) }),
    Control: domains("One per line, such as example.com. Empty: addresses of any domain may sign up."),
  },
  {
    name: "disposable_domains",
    label: "Disposable email domains",
    shown: ({ disposable_domains }) => listed(disposable_domains, "None besides the environment's"),
    textOf: ({ disposable_domains }) => disposable_domains.join("\n"),
    change: (text) => ({ disposable_domains: linesOf(text) }),
    Control: domains(
      "One per line. Addresses in these domains and their subdomains can't sign up. Those of the environment stay refused as well.",
    ),
  },
  {
    name: "signup_credit_usd",
    label: "Signup credit",
    shown: ({ signup_credit_usd }) => usd(signup_credit_usd),
    textOf: ({ signup_credit_usd }) => String(signup_credit_usd),
    change: (text) => ({ signup_credit_usd: Number(text) }),
    Control: ({ label, text, onText }) => (
      <Field
        label={`${label} (USD)`}
        type="number"
        required
        min="0"
        max="1000"
        step="any"
        value={text}
        onChange={(event) => onText(event.target.value)}
        hint="For each address verified from now on. 0: none."
      />
    ),
  },
  {
    name: "suspend_on_dispute",
    label: "Suspend on dispute",
    shown: ({ suspend_on_dispute }) => (suspend_on_dispute ? "On" : "Off"),
    textOf: ({ suspend_on_dispute }) => (suspend_on_dispute ? "on" : "off"),
    change: (text) => ({ suspend_on_dispute: text === "on" }),
    Control: choice([
      { value: "on", label: "On: a disputed payment suspends its account" },
      { value: "off", label: "Off" },
    ]),
  },
];

function choice(choices: readonly { value: string; label: string }[]): Kind["Control"] {
  return ({ label, text, onText }) => (
    <Select label={label} value={text} choices={choices} onChange={(event) => onText(event.target.value)} />
  );
}

function domains(hint: string): Kind["Control"] {
  return ({ label, text, onText }) => (
    <TextArea label={label} rows={6} mono value={text} onChange={(event) => onText(event.target.value)} hint={hint} />
  );
}

interface Row extends Kind {
  values: ChangeableSettings;
  setting: OperatorSetting | undefined;
}

export function RunningSettings({ values, settings }: { values: ChangeableSettings; settings: readonly OperatorSetting[] }): ReactNode {
  const [changing, setChanging] = useState<Row | null>(null);
  const [resetting, setResetting] = useState<Row | null>(null);
  const may = useMay("admin");
  const rows = kinds.map((kind) => ({ ...kind, values, setting: settings.find(({ field }) => field === kind.name) }));
  const actions: Column<Row> = {
    name: "Changes",
    hidden: true,
    stays: true,
    right: true,
    cell: (row) => (
      <Menu label={`Actions for ${row.label}`} trigger={<Icon name="more" />}>
        <MenuItem onSelect={() => setChanging(row)}>Change</MenuItem>
        {row.setting?.source === "operator" && <MenuItem onSelect={() => setResetting(row)}>Reset</MenuItem>}
      </Menu>
    ),
  };
  return (
    <Card title="Changed without a restart" flush>
      <Table name="Changed without a restart" rows={rows} idOf={({ name }) => name} columns={may ? [...columns, actions] : columns} />
      {changing !== null && <SetSetting {...changing} onClose={() => setChanging(null)} />}
      <ResetSetting row={resetting} onClose={() => setResetting(null)} />
    </Card>
  );
}

const columns: readonly Column<Row>[] = [
  {
    name: "Setting",
    cell: ({ label, setting }) => (
      <div className="min-w-44">
        <p className="font-medium">{label}</p>
        <p className="font-mono text-xs break-all text-quiet">{setting?.name}</p>
      </div>
    ),
  },
  {
    name: "Value",
    cell: ({ shown, values }) => <span className="block max-w-xl min-w-32 break-words">{shown(values)}</span>,
  },
  {
    name: "Set by",
    cell: ({ setting }) => (setting?.source === "operator" ? <span className="break-all">{setting.changed_by}</span> : "The environment"),
  },
  { name: "Since", right: true, cell: ({ setting }) => dayOf(setting?.changed_at) },
];

function SetSetting({ label, values, textOf, change, Control, onClose }: Row & { onClose: () => void }): ReactNode {
  const [text, setText] = useState(textOf(values));
  return (
    <ChangeDialog
      action="Change setting"
      open
      onClose={onClose}
      make={async (reason) => (await updateOperatorSettings(api, { ...change(text), reason }), `${label}: changed.`)}
    >
      <Control label={label} text={text} onText={setText} />
      <p className="text-sm text-quiet">It applies in every process within seconds, and after a restart.</p>
    </ChangeDialog>
  );
}

function ResetSetting({ row, onClose }: { row: Row | null; onClose: () => void }): ReactNode {
  const made = row === null ? {} : { [row.name]: null };
  return (
    <ChangeDialog
      action="Reset setting"
      open={row !== null}
      onClose={onClose}
      make={async (reason) => (await updateOperatorSettings(api, { ...made, reason }), `${row?.label}: as the environment has it.`)}
    >
      <p className="break-words">
        <strong>{row?.label}</strong> gets the environment&apos;s value again: {row?.setting?.environment_value ?? "not set"}.
      </p>
    </ChangeDialog>
  );
}
