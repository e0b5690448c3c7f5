// Lists the commands of `svc key`. The code of each is loaded when it runs.
import { type Command, flag, text } from "./command.ts";

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
