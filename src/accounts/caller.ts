// The caller of a request, and the roles of a workspace's members: their order, and what the edge asks of a session
// (docs/behaviour/endpoints.md#workspaces).
import type { Operation } from "../../generated/operations.ts";
import { fail } from "../errors/fail.ts";
import type { Amount } from "../money.ts";
import type { KeyPolicy } from "./key-policy.ts";
import type { Operator } from "./operators.ts";

/** Of a member in a workspace. */
export type Role = NonNullable<Operation["roles"]>[number];

/** The caller of a request, as authentication identified it. */
export interface Caller {
  /** The workspace that the request acts in. */
  accountId: bigint;
  /** The key that was used; null for a session. */
  keyId: bigint | null;
  /** Money ever added; with 0 only free-tier models may be used. */
  purchased: Amount;
  /** The number of the tier that an operator gave the account; null: none. */
  assignedTier: number | null;
  suspended: boolean;
  /** Whether the workspace asks for its responses to be stored. */
  storesResponses: boolean;
  /** What the key may do; null: whatever its account may. */
  policy: KeyPolicy | null;
  /** The dashboard session that was used; null for a key. */
  session: CallerSession | null;
  /** On operators' operations. */
  operator?: Operator;
}

export interface CallerSession {
  /** Identifies the session in the database. */
  hash: Buffer;
  /** The own account of the person who is signed in. */
  personId: bigint;
  /** In the workspace of the request. */
  role: Role;
  expiresAt: Date;
  /** What X-Svc-CSRF must hold when the session's cookie is sent. */
  csrfToken: string;
}

export const roles = ["owner", "admin", "developer", "billing", "viewer"] as const satisfies readonly Role[];

/** The role of a session must be one that the operation names; a key has none, and an operation without roles concerns the person alone. */
export function assertRole({ roles: allowed }: Pick<Operation, "roles">, { session }: Caller): void {
  if (session !== null && allowed !== undefined) assertRoleAmong(session.role, allowed);
}

export function assertRoleAmong(role: Role, allowed: readonly Role[]): void {
  if (allowed.includes(role)) return;
  fail("permission_denied", { text: { reason: `your role in this workspace is ${role}, and this needs ${allowed.join(" or ")}` } });
}

/** The person whose keys alone a developer may see and change; null: everyone's. `session` null: a caller without a role. */
export function ownKeysOnly(session: Pick<CallerSession, "personId" | "role"> | null): bigint | null {
  return session?.role === "developer" ? session.personId : null;
}
