// What each role may do in its workspace, for buttons that would only be refused. The gateway decides by the contract; a test compares the two.
import { useQuery } from "@tanstack/react-query";
import type { Role } from "svc-sdk/types";
import { workspaceQuery } from "./workspace.ts";

export const rights = {
  /** Creating and changing keys, and so the playground, which makes one. */
  keys: ["owner", "admin", "developer"],
  readKeys: ["owner", "admin", "developer", "viewer"],
  /** Adding credit, vouchers, invoices. */
  pay: ["owner", "admin", "billing"],
  manage: ["owner", "admin"],
} as const satisfies Record<string, readonly Role[]>;

export type Right = keyof typeof rights;

/** Undefined: not known yet. */
export function useMay(right: Right): boolean | undefined {
  const { data } = useQuery(workspaceQuery);
  return data === undefined ? undefined : (rights[right] as readonly Role[]).includes(data.role);
}
