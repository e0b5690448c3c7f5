// What a target is: something that answers chat completions in front of the mock upstream.
import type { Ground } from "../ground.ts";

export interface Target {
  name: string;
  /** For a reader of the table. */
  title: string;
  /** Throws LeftOut where it can't be had. */
  start(ground: Ground, options: StartOptions): Promise<Running>;
}

export interface StartOptions {
  /** It can be profiled: see profile.ts. */
  inspect: boolean;
  /** Of ours. */
  workers: number;
  accounts: number;
  /** To the target's core. */
  pinned: boolean;
  /** Of ours: other settings than `npm start` has. */
  env: Record<string, string>;
}

export interface Running {
  name: string;
  /** By this name the mock counts what it delivered. */
  owner: string;
  url: string;
  /** Whose time and memory count; none: nothing stands in between. */
  pids(): number[];
  /** The file its standard error goes to. */
  logFile: string | null;
  headers: Record<string, string>;
  keys: string[];
  /** Where its money is. */
  ledger: { databaseUrl: string } | null;
  stop(): Promise<void>;
}

/** The target can't be had on this machine; the message says why. */
export class LeftOut extends Error {}
