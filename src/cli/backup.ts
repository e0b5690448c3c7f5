// `svc backup` and `svc restore`: the whole database as one file, and a database from it. What a backup promises beyond the copy, a ledger that
// verifies, is checked here; src/db/backup copies.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Refused } from "../accounts/admin.ts";
import { dump } from "../db/backup/dump.ts";
import { checkBackup, load } from "../db/backup/load.ts";
import type { Db, Queries } from "../db/connect.ts";
import { type ChainVerdict, recordVerdict, verifyWithin } from "../ledger/verify.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase, withoutTimeout, withRawDatabase } from "./with-database.ts";

export async function backup({ config, words }: Input): Promise<Outcome> {
  const file = resolve(words[0]!);
  const work = async (db: Db) => {
    let verdict: ChainVerdict | undefined;
    const describe = async (snapshot: Queries) => factsOf((verdict = await verifyWithin(snapshot)));
    try {
      return await dump(db, file, describe);
    } finally {
      if (verdict !== undefined) await recordVerdict(db, verdict);
    }
  };
  const { bytes, facts } = await withDatabase(config, work, withoutTimeout);
  const json = { file, bytes, ledger_head: facts.ledger_head };
  const counts = `${facts.accounts} accounts with ${facts.entries} entries`;
  return {
    json,
    text: `${file} has ${bytes} bytes, ${counts}\nhead ${facts.ledger_head}\nwithout the files under media/ or in the bucket`,
  };
}

/** What could not be restored would be no backup: its ledger is verified first. */
function factsOf({ accounts, entries, head, broken }: ChainVerdict) {
  if (head === null)
    throw new Refused(
      `no backup was written, because it could not be restored: the ledger is broken at entry ${broken!.seq} of ${broken!.account_id}`,
    );
  return { accounts, entries, ledger_head: head };
}

export async function restore({ config, words }: Input): Promise<Outcome> {
  const file = resolve(words[0]!);
  const header = await checkBackup(file);
  const check = async (restored: Queries) => {
    const { head, broken } = await verifyWithin(restored);
    if (broken !== null)
      throw new Refused(`nothing was restored: the ledger is broken at entry ${broken.seq} of ${broken.account_id}: ${broken.reason}`);
    if (head !== header.ledger_head)
      throw new Refused(`nothing was restored: the ledger's head is ${head}, the backup says ${header.ledger_head}`);
  };
  await withRawDatabase(config, (db) => load(db, file, header, check), withoutTimeout);
  const { created_at, accounts, entries, ledger_head } = header;
  return {
    json: { file, bytes: statSync(file).size, ledger_head },
    text: `the database is as of ${created_at}: ${accounts} accounts with ${entries} entries\nhead ${ledger_head}`,
  };
}
