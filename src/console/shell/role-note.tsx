// Why something is missing or can't be pressed: the person's role in the workspace does not have it.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Right, useMay } from "../lib/rights.ts";
import { roles, workspaceQuery } from "../lib/workspace.ts";

const others: Record<Right, string> = {
  keys: "owners, admins and developers",
  readKeys: "owners, admins, developers and viewers",
  pay: "owners, admins and billing",
  manage: "owners and admins",
};

/** `what`: as in "create and change keys". */
export function RoleNote({ right, what }: { right: Right; what: string }): ReactNode {
  const may = useMay(right);
  const { data } = useQuery(workspaceQuery);
  if (may !== false || data === undefined) return null;
  return (
    <p role="note" className="rounded-lg bg-sunken px-4 py-3 text-quiet">
      Your role in {data.name} is {roles[data.role].label.toLowerCase()}: {others[right]} {what}.
    </p>
  );
}
