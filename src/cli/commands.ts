// The commands of `svc` (OPERATOR.md). What each does is loaded when it is chosen.
import type { Command } from "./command.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

export const commands: readonly Command[] = [
  {
    name: "start",
    takes: [],
    options: {},
    shown: "",
    does: "start the gateway (what npm start runs)",
    run: async (input) => (await import("./start.ts")).start(input),
  },
  {
    name: "migrate",
    takes: [],
    options: {},
    shown: "",
    does: "bring the database up to date",
    run: async (input) => (await import("./migrate.ts")).migrateDatabase(input),
  },
  {
    name: "account create",
    takes: [],
    options: { email: text, verified: flag, "signup-credit": flag, deposit: text, credit: text },
    shown: "--email E [--verified] [--signup-credit] [--deposit USD] [--credit USD]",
    does: "make an account with its default key; a deposit is purchased money, a credit earned",
    run: async (input) => (await import("./account.ts")).create(input),
  },
  {
    name: "account show",
    takes: ["ID"],
    options: {},
    shown: "",
    does: "show an account, its balance and its keys",
    run: async (input) => (await import("./account.ts")).show(input),
  },
  {
    name: "account deposit",
    takes: ["ID", "USD"],
    options: {},
    shown: "",
    does: "add purchased money",
    run: async (input) => (await import("./account.ts")).deposit(input),
  },
  {
    name: "account credit",
    takes: ["ID", "USD"],
    options: {},
    shown: "",
    does: "add earned money (a bonus)",
    run: async (input) => (await import("./account.ts")).credit(input),
  },
  {
    name: "key create",
    takes: ["ACCOUNT"],
    options: { name: text },
    shown: "--name N",
    does: "make a further key",
    run: async (input) => (await import("./key.ts")).create(input),
  },
  {
    name: "key disable",
    takes: ["KEY"],
    options: {},
    shown: "",
    does: "stop a key: the key itself, its masked form or its id",
    run: async (input) => (await import("./key.ts")).disable(input),
  },
  {
    name: "key enable",
    takes: ["KEY"],
    options: {},
    shown: "",
    does: "let a stopped key work again",
    run: async (input) => (await import("./key.ts")).enable(input),
  },
  {
    name: "ledger audit",
    takes: [],
    options: {},
    shown: "",
    does: "recompute every balance and hold from the entries; status 1 where anything differs",
    run: async (input) => (await import("./ledger.ts")).auditLedger(input),
  },
  {
    name: "catalog check",
    takes: ["FILE"],
    options: {},
    shown: "",
    does: "validate a catalog file; each fault with its line",
    run: async (input) => (await import("./catalog.ts")).check(input),
  },
  {
    name: "simulate",
    takes: [],
    options: { port: text },
    shown: "[--port P]",
    does: "run the simulator alone, as an upstream",
    run: async (input) => (await import("./simulate.ts")).simulate(input),
  },
];
