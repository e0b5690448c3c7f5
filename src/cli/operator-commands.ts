// Lists the commands of `svc operator` and `svc settings`. The code of each is loaded when it runs.
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
