// What the operator may do: the gateway decides, the pages show what it would refuse as out of reach.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../lib/queries.ts";

export type Role = "support" | "finance" | "admin";

const ranks: Readonly<Record<Role, number>> = { support: 0, finance: 1, admin: 2 };

export function useMay(needed: Role): boolean {
  const role = useQuery(sessionQuery).data?.operator;
  return role !== undefined && ranks[role] >= ranks[needed];
}
