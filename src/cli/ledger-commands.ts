// Lists the commands that check, save and bring back the books. The code of each is loaded when it runs.
import { type Command, flag } from "./command.ts";

export const ledgerCommands: readonly Command[] = [
  {
    name: "ledger audit",
    takes: [],
    options: {},
    does: "recompute every balance and hold from the entries; exit status 1 if anything differs",
    run: async (input) => (await import("./ledger.ts")).auditLedger(input),
  },
  {
    name: "ledger verify",
    takes: [],
    options: {},
    does: "recompute the hash chain of every account's entries; exit status 1 at the first broken link",
    run: async (input) => (await import("./ledger.ts")).verifyLedger(input),
  },
  {
    name: "ledger accept",
    takes: [],
    options: {},
    does: "accept the ledger as it is after a restore: write SVC_LEDGER_HEAD_FILE anew, so that the gateway starts",
    run: async (input) => (await import("./ledger.ts")).acceptLedger(input),
  },
  {
    name: "ledger compare",
    takes: ["LOG…"],
    options: { post: flag("post what the ledger lost as adjustments, each charge once however often this runs") },
    does: "compare the gateway's log of charges (SVC_CHARGE_LOG) with the ledger, as after a restore; exit status 1 if anything differs",
    run: async (input) => (await import("./compare.ts")).compare(input),
  },
  {
    name: "backup",
    takes: ["FILE"],
    options: {},
    does: "write the whole database into one file, as of one moment; the gateway may go on meanwhile",
    run: async (input) => (await import("./backup.ts")).backup(input),
  },
  {
    name: "restore",
    takes: ["FILE"],
    options: {},
    does: "make an empty database what it was at a backup; nothing is changed if anything about the file is wrong",
    run: async (input) => (await import("./backup.ts")).restore(input),
  },
];
