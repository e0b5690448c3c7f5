// The caller of a request. Types only.
import type { Amount } from "../money.ts";
import type { Operator } from "./operators.ts";

/** The caller of a request, as authentication identified it. */
export interface Caller {
  accountId: bigint;
  /** The key that was used; null for a session. */
  keyId: bigint | null;
  /** Money ever added; with 0 only free-tier models may be used. */
  purchased: Amount;
  suspended: boolean;
  /** The dashboard session that was used; null for a key. */
  session: CallerSession | null;
  /** On operators' operations. */
  operator?: Operator;
}

export interface CallerSession {
  /** Identifies the session in the database. */
  hash: Buffer;
  expiresAt: Date;
  /** What X-Svc-CSRF must hold when the session's cookie is sent. */
  csrfToken: string;
}
