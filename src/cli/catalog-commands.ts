// Lists the commands of `svc catalog`. The code of each is loaded when it runs.
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
