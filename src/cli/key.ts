// `svc key …`
import { createKey, setKeyEnabled } from "../accounts/admin.ts";
import { systemClock } from "../clock.ts";
import { readAccount } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export async function create({ config, words, options }: Input): Promise<Outcome> {
  const name = String(options.name ?? "").trim();
  if (name.length < 1 || name.length > 100) throw new UsageError("--name must have 1 to 100 characters");
  return withDatabase(config, async (db) => {
    const { accountId } = await readAccount(db, words[0]!);
    const apiKey = await createKey(db, { accountId, name, at: systemClock() });
    return { json: { api_key: apiKey, name }, text: `${name}: ${apiKey}\nThe key is shown this once.` };
  });
}

export async function disable(input: Input): Promise<Outcome> {
  return setEnabled(input, false);
}

export async function enable(input: Input): Promise<Outcome> {
  return setEnabled(input, true);
}

async function setEnabled({ config, words }: Input, wanted: boolean): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const { name, enabled, masked } = await setKeyEnabled(db, words[0]!, wanted);
    return { json: { name, enabled }, text: `${name} (${masked}) is ${enabled ? "enabled" : "disabled"}` };
  });
}
