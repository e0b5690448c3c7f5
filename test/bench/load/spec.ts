// What the load generator is asked to do, and what it says of it.
import type { Durations } from "./histogram.ts";

/** Groups run side by side; the first failing answer of each is kept. */
export interface LoadGroup {
  url: string;
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  /** Header lines of which each request takes the next one, e.g. its key. */
  lines: string[];
  /** "@PAD@" in it stands for `padBytes` of words. */
  body?: string;
  padBytes?: number;
  connections: number;
  /**
   * closed: each connection sends its next request when it has the answer, for `ms`. open: `rate` a second for `ms`, however slow the
   * answers, each measured from when it was due; so many connections at most. once: each connection sends one, spread over `ms`.
   */
  loop: { kind: "closed"; ms: number } | { kind: "open"; rate: number; ms: number } | { kind: "once"; ms: number };
}

export interface GroupResult {
  requests: number;
  errors: number;
  firstError: string | null;
  /** Of streams. */
  records: number;
  seconds: number;
  latency: Durations;
  firstByte: Durations;
}
