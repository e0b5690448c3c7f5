// Ledgers whose heartbeats come three times as often, so that a test waits 4 s for what dead processes held, not 12.
import { fileURLToPath } from "node:url";
import { type LedgerTimes, ledgerTimes } from "../../src/ledger/times.ts";

export const quickTimes: LedgerTimes = { ...ledgerTimes, beatMs: 1_000, deadAfterMs: 3_000, gapMs: 2_000 };

/** For the environment of a gateway that is a process. */
export const quickLedger = { NODE_OPTIONS: `--import=${fileURLToPath(new URL("./shorten-ledger-times.ts", import.meta.url))}` };
