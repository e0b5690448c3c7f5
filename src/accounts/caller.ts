// The caller of a request. Types only.
import type { Operation } from "../../generated/operations.ts";
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
