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
      from: text("NAME", "the name of the list, for the file's first line; by default its file name"),
      write: text("CATALOG", "write this catalog file; without it only the changes are shown"),
    },
    does: "read a vendor's models and prices from a list (LiteLLM's, or one shaped as models.dev's) and show what would change",
    run: async (input) => (await import("./catalog-import.ts")).importCatalog(input),
  },
  {
    name: "catalog diff",
    takes: ["FILE"],
    options: {},
    does: "compare a catalog with the one in use, with prices and margins; exit status 0 if nothing differs, 1 if something does, 2 on trouble",
    compares: true,
    run: async (input) => (await import("./catalog-versions.ts")).diff(input),
  },
  {
    name: "catalog apply",
    takes: ["FILE"],
    options: {
      yes: flag("apply it; without it only the changes are shown"),
      expect: text("N", "only if this version is in use, which a run without --yes has shown"),
      reason,
    },
    does: "use a catalog in every process of the gateway from now on, by way of the database; a call in flight keeps its prices",
    run: async (input) => (await import("./catalog-versions.ts")).apply(input),
  },
  {
    name: "catalog revert",
    takes: [],
    options: { reason },
    does: "go back to the version of the catalog before, or to the file of SVC_CATALOG",
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
      limit: text("USD", "the most that may be spent through the key, in all or in each period of --resets"),
      resets: text("WHEN", "never (as without it), hourly, daily, weekly or monthly"),
      expires: text("TIME", "when the key stops working, as 2027-01-31T00:00:00Z"),
      networks: text("LIST", "where it may be used from, with commas: 192.0.2.0/24,2001:db8::/32"),
      scopes: text("LIST", "what is taken away from it, with commas: read_only, no_media, no_audio, no_account"),
      "stream-usage": flag("its streams end with a chunk of usage, asked for or not"),
      "response-cache": text("SECONDS", "how long answers are kept for repeats of their request, up to 86400"),
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
    options: { grace: text("SECONDS", "how long the secret of before works, 0 to 604800; a day without it") },
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
    does: "delete a key; the newest enabled key, else a new one, replaces a deleted default",
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
    does: "take an account's role",
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
    does: "take back what was set: the environment's value holds again",
    run: async (input) => (await import("./settings.ts")).reset(input),
  },
];
