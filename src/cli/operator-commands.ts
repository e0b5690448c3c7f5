// Lists the commands of `svc operator`. The code of each is loaded when it runs.
import { type Command, text } from "./command.ts";

const reason = text("TEXT", "why, in one line, for the log of operators' actions");

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
];
