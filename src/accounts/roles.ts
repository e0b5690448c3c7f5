// Roles of a workspace's members: their order, and what the edge asks of a session (docs/behaviour/endpoints.md#workspaces).
import type { Operation } from "../../generated/operations.ts";
import { fail } from "../errors/fail.ts";
import type { Caller, CallerSession, Role } from "./caller.ts";

export type { Role } from "./caller.ts";

export const roles = ["owner", "admin", "developer", "billing", "viewer"] as const satisfies readonly Role[];

/** The role of a session must be one that the operation names; a key has none, and an operation without roles concerns the person alone. */
export function assertRole({ roles: allowed }: Pick<Operation, "roles">, { session }: Caller): void {
  if (session === null || allowed === undefined || allowed.includes(session.role)) return;
  fail("permission_denied", { text: { reason: `your role in this workspace is ${session.role}, and this needs ${allowed.join(" or ")}` } });
}

/** The person whose keys alone a developer may see and change; null: everyone's. `session` null: a caller without a role. */
export function ownKeysOnly(session: Pick<CallerSession, "personId" | "role"> | null): bigint | null {
  return session?.role === "developer" ? session.personId : null;
}
