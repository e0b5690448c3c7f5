// Who calls, as authentication found it. Types only.
import type { Amount } from "../money.ts";

/** Who calls, as authentication found it. */
export interface Caller {
  accountId: bigint;
  /** The key that was used; null for a session. */
  keyId: bigint | null;
  /** Money ever added; 0 reaches free-tier models only. */
  purchased: Amount;
  suspended: boolean;
  /** The dashboard session that was used; null for a key. */
  session: CallerSession | null;
}

export interface CallerSession {
  /** Names the session in the database. */
  hash: Buffer;
  expiresAt: Date;
  /** What X-Svc-CSRF must hold beside the session's cookie. */
  csrfToken: string;
}
