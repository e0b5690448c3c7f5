// Mail domains of the workspace: whose people become members when they sign in. Claimed, proved by a TXT record, given a role, removed.
import { useMutation, useQuery } from "@tanstack/react-query";
import { claimDomain, listDomains, removeDomain, updateDomain, verifyDomain, type WorkspaceDomain } from "svc-sdk/functions";
import type { DomainRole } from "svc-sdk/types";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { queries } from "../../lib/queries.ts";
import { roles, rolesToGive } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyIcon } from "../../ui/copy.tsx";
import { Confirm, Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Badge, Card, Empty, Loading } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RoleSelect } from "./role-select.tsx";

const reload = () => queries.invalidateQueries({ queryKey: ["domains"] });
/** No domain makes owners. */
const offered = rolesToGive("admin") as DomainRole[];

export function Domains(): ReactNode {
  const [claiming, setClaiming] = useState(false);
  const [removing, setRemoving] = useState<WorkspaceDomain | null>(null);
  const { data, error, refetch } = useQuery({ queryKey: ["domains"], queryFn: () => listDomains(api).then((list) => list.data) });
  const verify = useMutation({
    mutationFn: ({ id }: WorkspaceDomain) => change(() => verifyDomain(api, id)),
    onSuccess: ({ domain }) => (announce(`${domain} is verified.`), reload()),
  });
  const set = useMutation({
    mutationFn: ({ id, role }: { id: string; role: DomainRole }) => change(() => updateDomain(api, id, { role })),
    onSuccess: ({ domain, role }) => (announce(`New members from ${domain} now join as ${roles[role].label.toLowerCase()}.`), reload()),
  });
  const remove = useMutation({
    mutationFn: ({ id }: WorkspaceDomain) => change(() => removeDomain(api, id)),
    onSuccess: (_, { domain }) => (announce(`${domain} is removed.`), setRemoving(null), reload()),
  });
  const columns = columnsOf({
    onVerify: (one) => verify.mutate(one),
    onRole: (one, role) => set.mutate({ id: one.id, role }),
    onRemove: (one) => (remove.reset(), setRemoving(one)),
  });
  const failed = error ?? verify.error ?? set.error;
  return (
    <Card title="Domains" flush actions={<Button onClick={() => setClaiming(true)}>Claim domain</Button>}>
      {failed !== null && (
        <div className="p-5">
          <ErrorNote error={failed} retry={error === null ? undefined : () => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && <Loading what="Loading the domains" />}
      {data?.length === 0 && (
        <Empty title="No domains yet">Claim and verify your mail domain, and everyone who signs in with an address in it joins.</Empty>
      )}
      {data !== undefined && data.length > 0 && <Table name="Domains" rows={data} idOf={({ id }) => id} columns={columns} />}
      <Dialog title="Claim domain" open={claiming} onClose={() => setClaiming(false)}>
        <ClaimForm onClose={() => setClaiming(false)} />
      </Dialog>
      <Confirm
        action="Remove domain"
        open={removing !== null}
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing !== null && remove.mutate(removing)}
      >
        <p>
          No one else will join through <strong>{removing?.domain}</strong>. Members stay.
        </p>
      </Confirm>
    </Card>
  );
}

interface Acts {
  onVerify: (domain: WorkspaceDomain) => void;
  onRole: (domain: WorkspaceDomain, role: DomainRole) => void;
  onRemove: (domain: WorkspaceDomain) => void;
}

const columnsOf = ({ onVerify, onRole, onRemove }: Acts): Column<WorkspaceDomain>[] => [
  { name: "Domain", cell: ({ domain }) => <span className="break-all">{domain}</span> },
  {
    name: "Joins as",
    cell: (one) => (
      <RoleSelect
        label={`Role from ${one.domain}`}
        value={one.role}
        offered={offered}
        onChange={(role) => onRole(one, role as DomainRole)}
      />
    ),
  },
  {
    name: "Status",
    cell: ({ status }) => (
      <Badge tone={status === "verified" ? "good" : "warn"}>{status === "verified" ? "Verified" : "Not verified"}</Badge>
    ),
  },
  { name: "TXT record", cell: (one) => <Record of={one} /> },
  {
    name: "Actions",
    hidden: true,
    stays: true,
    right: true,
    cell: (one) => (
      <Menu label={`Actions for ${one.domain}`} trigger={<Icon name="more" />}>
        <MenuItem onSelect={() => onVerify(one)}>{one.status === "verified" ? "Verify again" : "Verify"}</MenuItem>
        <MenuItem danger onSelect={() => onRemove(one)}>
          Remove
        </MenuItem>
      </Menu>
    ),
  },
];

function Record({ of: { domain, record_name, record_value } }: { of: WorkspaceDomain }): ReactNode {
  return (
    <span className="font-mono text-xs whitespace-nowrap">
      {[record_name, record_value].map((text, index) => (
        <span key={text} className="flex items-center gap-1">
          {text} <CopyIcon text={text} what={`${index === 0 ? "name" : "value"} of the record of ${domain}`} />
        </span>
      ))}
    </span>
  );
}

function ClaimForm({ onClose }: { onClose: () => void }): ReactNode {
  const [role, setRole] = useState<DomainRole>("developer");
  const claim = useMutation({
    mutationFn: (domain: string) => change(() => claimDomain(api, { domain, role })),
    onSuccess: ({ domain }) => (announce(`Publish the TXT record of ${domain}, then verify it.`), onClose()),
    onSettled: reload,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    claim.mutate(fieldText(new FormData(event.currentTarget), "domain"));
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field
        label="Domain"
        name="domain"
        required
        maxLength={253}
        autoFocus
        autoComplete="off"
        placeholder="example.com"
        hint="The part after the @ in your email addresses. A TXT record proves that it is yours."
      />
      <Select
        label="Joins as"
        value={role}
        choices={offered.map((value) => ({ value, label: roles[value].label }))}
        onChange={(event) => setRole(event.target.value as DomainRole)}
        hint={`${roles[role].about}.`}
      />
      <ErrorNote error={claim.error} />
      <DialogButtons action="Claim domain" busy={claim.isPending} onClose={onClose} />
    </form>
  );
}
