// Lists the commands of `svc`. The code of each is loaded when it runs.
import type { Command, Option } from "./command.ts";

const text = (value: string, does: string): Option => ({ type: "string", value, does });
const flag = (does: string): Option => ({ type: "boolean", does });

const reportOptions = {
  by: { ...text("GROUP", "account, model, route, provider, key or day"), required: true as const },
  month: text("YYYY-MM", "the month, in UTC; by default the current one"),
  csv: flag("print comma-separated values"),
};

export const commands: readonly Command[] = [
  {
    name: "start",
    takes: [],
    options: {},
    does: "start the gateway (what npm start runs)",
    run: async ({ config }) => {
      await (await import("../start/start.ts")).start(config.environment);
      return null;
    },
  },
  {
    name: "migrate",
    takes: [],
    options: {},
    does: "bring the database up to date",
    run: async (input) => (await import("./ledger.ts")).migrateDatabase(input),
  },
  {
    name: "account create",
    takes: [],
    options: {
      email: { ...text("E", "the account's email address"), required: true },
      verified: flag("mark the address as verified"),
      "signup-credit": flag("add the signup credit"),
      deposit: text("USD", "add purchased money"),
      credit: text("USD", "add earned money (a bonus)"),
    },
    does: "create an account with a default key, which is shown only once",
    run: async (input) => (await import("./account.ts")).create(input),
  },
  {
    name: "account list",
    takes: [],
    options: {
      limit: text("N", "accounts per page, 1 to 1000; 50 by default"),
      after: text("ID", "only accounts older than this one, which is the last of the previous page"),
      email: text("PART", "only accounts whose email address contains this text"),
      status: text("S", "only accounts with this status: active or suspended"),
    },
    does: "list accounts, newest first, with balance, tier, status and what they spent in 30 days",
    run: async (input) => (await import("./account.ts")).list(input),
  },
  {
    name: "account show",
    takes: ["ID"],
    options: {},
    does: "show an account, its status, its balance and its keys; ID may be the email address",
    run: async (input) => (await import("./account.ts")).show(input),
  },
  {
    name: "account deposit",
    takes: ["ID", "USD"],
    options: {},
    does: "add purchased money, an amount above 0",
    run: async (input) => (await import("./money.ts")).deposit(input),
  },
  {
    name: "account credit",
    takes: ["ID", "USD"],
    options: {},
    does: "add earned money (a bonus), an amount above 0",
    run: async (input) => (await import("./money.ts")).credit(input),
  },
  {
    name: "account adjust",
    takes: ["ID", "USD"],
    options: {
      reason: { ...text("TEXT", "why, in one line; the account's owner sees it"), required: true },
      entry: text("ENTRY", "the ledger entry that is wrong, such as led_3; the correction is of its kind of money"),
      earned: flag("correct earned money instead of purchased money"),
    },
    does: "correct an account's money by an amount above or below 0, such as -5",
    run: async (input) => (await import("./money.ts")).adjust(input),
  },
  {
    name: "account suspend",
    takes: ["ID"],
    options: {},
    does: "refuse an account's keys and sessions",
    run: async (input) => (await import("./account.ts")).suspend(input),
  },
  {
    name: "account resume",
    takes: ["ID"],
    options: {},
    does: "reactivate a suspended account",
    run: async (input) => (await import("./account.ts")).resume(input),
  },
  {
    name: "session create",
    takes: ["ACCOUNT"],
    options: {},
    does: "open a dashboard session, as signing in does",
    run: async (input) => (await import("./account.ts")).createSession(input),
  },
  {
    name: "key create",
    takes: ["ACCOUNT"],
    options: {
      name: { ...text("N", "the key's name"), required: true },
      limit: text("USD", "the most that may be spent through the key in all"),
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
  {
    name: "refund",
    takes: ["REQUEST_ID"],
    options: {
      reason: { ...text("TEXT", "why, in one line; the account's owner sees it"), required: true },
      amount: text("USD", "give back only this much; by default the whole charge"),
      account: text("ACCOUNT", "the request's account, if several accounts sent the same id"),
    },
    does: "refund the charge of a call or a media job, once; REQUEST_ID may be the job's id",
    run: async (input) => (await import("./refund.ts")).refund(input),
  },
  {
    name: "payment list",
    takes: [],
    options: {},
    does: "list the payment provider's events that could not be applied, newest first",
    run: async (input) => (await import("./money.ts")).listUnappliedPayments(input),
  },
  {
    name: "payment dismiss",
    takes: ["EVENT"],
    options: {},
    does: "take an event off that list, after you have dealt with it by hand; it has no effect any more",
    run: async (input) => (await import("./money.ts")).dismissPayment(input),
  },
  {
    name: "request show",
    takes: ["REQUEST_ID"],
    options: { account: text("ACCOUNT", "the request's account, if several accounts sent the same id") },
    does: "show one call: each provider's answer, usage, charge and ledger entries",
    run: async (input) => (await import("./request.ts")).show(input),
  },
  {
    name: "provider list",
    takes: [],
    options: {},
    does: "show the catalog's providers and the outcomes of their calls in the last 5 minutes",
    run: async (input) => (await import("./provider.ts")).list(input),
  },
  {
    name: "provider test",
    takes: ["ID"],
    options: { model: text("M", "the catalog model to call; by default the cheapest kind that the provider serves") },
    does: "make one small real call to a provider, at your expense; exit status 1 if it fails",
    run: async (input) => (await import("./provider-test.ts")).test(input),
  },
  {
    name: "job show",
    takes: ["ID"],
    options: {},
    does: "show a media job: state, queue position, money and files",
    run: async (input) => (await import("./job.ts")).show(input),
  },
  {
    name: "job list",
    takes: [],
    options: {
      account: text("ACCOUNT", "only jobs of this account"),
      status: text("STATUS", "only jobs with this status, such as failed"),
    },
    does: "list the 50 newest media jobs",
    run: async (input) => (await import("./job.ts")).list(input),
  },
  {
    name: "job refund",
    takes: ["ID"],
    options: {},
    does: "refund the charge of a job that succeeded",
    run: async (input) => (await import("./job.ts")).refund(input),
  },
  {
    name: "report spend",
    takes: [],
    options: reportOptions,
    does: "sum up a month's charges, the biggest first",
    run: async (input) => (await import("./report.ts")).spend(input),
  },
  {
    name: "report margin",
    takes: [],
    options: reportOptions,
    does: "sum up a month's charges and what the providers charge you for them, the worst margin first",
    run: async (input) => (await import("./report.ts")).margin(input),
  },
  {
    name: "reconcile",
    takes: ["PROVIDER", "FILE"],
    options: {
      key: text("KEY", "only usage of this key of yours at the provider, as the file names it"),
      map: text("NAMES", "the file's columns, if it is neither OpenAI's nor Anthropic's: day=COLUMN,model=COLUMN,input=COLUMN,…"),
    },
    does: "compare a provider's usage export (CSV) with the usage log; exit status 1 if anything differs",
    run: async (input) => (await import("./reconcile.ts")).reconcile(input),
  },
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
    name: "catalog check",
    takes: ["FILE"],
    options: {},
    does: "validate a catalog file; print each fault with its line",
    run: async (input) => (await import("./catalog.ts")).check(input),
  },
  {
    name: "simulate",
    takes: [],
    options: { port: text("P", "the port to listen on; 8788 by default") },
    does: "run the simulator on its own, as an upstream",
    run: async (input) => (await import("./simulate.ts")).simulate(input),
  },
];
