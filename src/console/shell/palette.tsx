// The command palette: type where to go.
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { gatewayUrl } from "../lib/place.ts";
import { useMay } from "../lib/rights.ts";
import { Dialog } from "../ui/dialog.tsx";
import { controlClass } from "../ui/field.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { useOperatorPlaces } from "./operator-places.ts";
import { places } from "./places.ts";

interface Command {
  label: string;
  icon: IconName;
  run: () => void;
}

function useCommands(): Command[] {
  const navigate = useNavigate();
  const mayCreate = useMay("keys") !== false;
  const operating = useOperatorPlaces().map(({ label, ...place }) => ({ ...place, label: `Operator: ${label}` }));
  return [
    ...[...places, ...operating].map(({ to, label, icon }) => ({ label, icon, run: () => void navigate({ to }) })),
    ...(mayCreate
      ? [{ label: "Create key", icon: "plus" as const, run: () => void navigate({ to: "/keys", search: { create: "1" } }) }]
      : []),
    { label: "Documentation", icon: "book" as const, run: () => location.assign(`${gatewayUrl}/docs`) },
  ];
}

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Go to" open={open} onClose={onClose}>
      <Commands onClose={onClose} />
    </Dialog>
  );
}

function Commands({ onClose }: { onClose: () => void }): ReactNode {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const found = useCommands().filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()));
  const chosen = Math.min(at, found.length - 1);
  const choose = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") choose(found[chosen]);
    else if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
    else return;
    event.preventDefault();
  };
  return (
    <div className="space-y-3">
      <input
        role="combobox"
        aria-label="Page or action"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
        autoFocus
        value={typed}
        onChange={(event) => (setTyped(event.target.value), setAt(0))}
        onKeyDown={onKeyDown}
        className={controlClass}
      />
      <ul id={list} role="listbox" aria-label="Pages and actions" className="max-h-80 overflow-y-auto">
        {found.map((command, index) => (
          <li
            key={command.label}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(command)}
            className={`flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 ${index === chosen ? "bg-accent-soft text-accent" : "hover:bg-sunken"}`}
          >
            <Icon name={command.icon} /> {command.label}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-3 pb-2 text-quiet">No page or action matches.</p>}
    </div>
  );
}
