// Lists the commands of the larger groups of `svc`: catalog, key, ledger and backup, operator and settings. The code of each is loaded when
// it runs.
import { type Command, flag, text } from "./command.ts";

const reason = text("TEXT", "why, in one line, for the log of operators' actions");

export const catalogCommands: readonly Command[] = [
  {
    name: "catalog check",
    takes: ["FILE"],
    options: {},
    does: "validate a catalog file; print each fault with its line",
    run: async (input) => (await import("./catalog.ts")).check(input),
  },
  {
    name: "catalog import",
    takes: ["FILE"],
    options: {
      vendor: { ...text("V", "whose models, such as openai or google; another word lists them"), required: true },
      markup: text("PERCENT", "what you add to the vendor's prices; 0 by default"),
      from: text("NAME", "the list's name, for the file's first line; by default its file name"),
      write: text("CATALOG", "write this catalog file; without it only the changes are shown"),
    },
    does: "read a vendor's models and prices from a list (LiteLLM's, or one shaped as models.dev's) and show what would change",
    run: async (input) => (await import("./catalog-import.ts")).importCatalog(input),
  },
  {
    name: "catalog diff",
    takes: ["FILE"],
    options: {},
    does: "compare a catalog with the one in use, with prices and margins; exit status 0 if nothing differs, 1 if something does, 2 if it fails",
    compares: true,
    run: async (input) => (await import("./catalog-versions.ts")).diff(input),
  },
  {
    name: "catalog apply",
    takes: ["FILE"],
    options: {
      yes: flag("apply it; without it only the changes are shown"),
      expect: text("N", "apply it only if this version is in use; a run without --yes shows it"),
      reason,
    },
    does: "use a catalog in every process of the gateway from now on, through the database; calls in flight keep their prices",
    run: async (input) => (await import("./catalog-versions.ts")).apply(input),
  },
  {
    name: "catalog revert",
    takes: [],
    options: { reason },
    does: "go back to the previous version of the catalog, or to the file of SVC_CATALOG",
    run: async (input) => (await import("./catalog-versions.ts")).revert(input),
  },
  {
    name: "catalog history",
    takes: [],
    options: { limit: text("N", "how many, 1 to 100; 20 by default") },
    does: "list the versions of the catalog that were applied, newest first",
    run: async (input) => (await import("./catalog-versions.ts")).history(input),
  },
];

export const keyCommands: readonly Command[] = [
  {
    name: "key create",
    takes: ["ACCOUNT"],
    options: {
      name: { ...text("N", "the key's name"), required: true },
      limit: text("USD", "the most that the key may spend, in all or in each period of --resets"),
      resets: text("WHEN", "never (the default), hourly, daily, weekly or monthly"),
      expires: text("TIME", "when the key stops working, such as 2027-01-31T00:00:00Z"),
      networks: text("LIST", "where it may be used from, separated by commas: 192.0.2.0/24,2001:db8::/32"),
      scopes: text("LIST", "what it may not do, separated by commas: read_only, no_media, no_audio, no_account"),
      "stream-usage": flag("end its streams with a usage chunk, even if the request does not ask for one"),
      "response-cache": text("SECONDS", "how long answers are kept for repeats of the same request, up to 86400"),
    },
    does: "create another key, which is shown only once",
    run: async (input) => (await import("./key.ts")).create(input),
  },
  {
    name: "key list",
    takes: ["ACCOUNT"],
    options: {},
    does: "show an account's keys, masked",
    run: async (input) => (await import("./key.ts")).list(input),
  },
  {
    name: "key roll",
    takes: ["KEY"],
    options: { grace: text("SECONDS", "how long the previous secret still works, 0 to 604800; 86400 (a day) by default") },
    does: "give a key a new secret, which is shown only once",
    run: async (input) => (await import("./key.ts")).roll(input),
  },
  {
    name: "key disable",
    takes: ["KEY"],
    options: {},
    does: "disable a key; KEY is the key itself, its masked form or its id",
    run: async (input) => (await import("./key.ts")).disable(input),
  },
  {
    name: "key enable",
    takes: ["KEY"],
    options: {},
    does: "enable a disabled key",
    run: async (input) => (await import("./key.ts")).enable(input),
  },
  {
    name: "key delete",
    takes: ["KEY"],
    options: {},
    does: "delete a key; if it was the default, the newest enabled key becomes the default, else a new one",
    run: async (input) => (await import("./key.ts")).remove(input),
  },
];

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
    does: "accept the ledger as it is after a restore: rewrite SVC_LEDGER_HEAD_FILE, so that the gateway starts",
    run: async (input) => (await import("./ledger.ts")).acceptLedger(input),
  },
  {
    name: "ledger compare",
    takes: ["LOG…"],
    options: { post: flag("post the charges that the ledger lost as adjustments, each only once, however often this runs") },
    does: "compare the gateway's log of charges (SVC_CHARGE_LOG) with the ledger, as after a restore; exit status 1 if anything differs",
    run: async (input) => (await import("./compare.ts")).compare(input),
  },
  {
    name: "backup",
    takes: ["FILE"],
    options: {},
    does: "write the whole database into one file, as of one moment; the gateway can keep running",
    run: async (input) => (await import("./backup.ts")).backup(input),
  },
  {
    name: "restore",
    takes: ["FILE"],
    options: {},
    does: "restore a backup into an empty database; nothing is changed if anything about the file is wrong",
    run: async (input) => (await import("./backup.ts")).restore(input),
  },
];

export const operatorCommands: readonly Command[] = [
  {
    name: "operator list",
    takes: [],
    options: {},
    does: "list the operators of the gateway: those of SVC_OPERATORS, and the accounts with a role",
    run: async (input) => (await import("./operator.ts")).list(input),
  },
  {
    name: "operator add",
    takes: ["ACCOUNT", "ROLE"],
    options: { reason },
    does: "make an account an operator, or change its role: support, finance or admin",
    run: async (input) => (await import("./operator.ts")).add(input),
  },
  {
    name: "operator remove",
    takes: ["ACCOUNT"],
    options: { reason },
    does: "take away an account's role",
    run: async (input) => (await import("./operator.ts")).remove(input),
  },
  {
    name: "settings list",
    takes: [],
    options: {},
    does: "show the settings that change while the gateway runs, and who set them",
    run: async (input) => (await import("./settings.ts")).list(input),
  },
  {
    name: "settings set",
    takes: ["NAME", "VALUE"],
    options: { reason },
    does: "set one of them, such as SVC_SIGNUP, in every running gateway; VALUE as in the environment",
    run: async (input) => (await import("./settings.ts")).set(input),
  },
  {
    name: "settings reset",
    takes: ["NAME"],
    options: { reason },
    does: "remove the value that was set: the environment's value applies again",
    run: async (input) => (await import("./settings.ts")).reset(input),
  },
];
