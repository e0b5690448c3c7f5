// Two replicas' worth of Accounts on one database, without a gateway around them.
import { type Accounts, createAccounts } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/clock.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { freshDatabase } from "./database.ts";

export interface AccountsWorld {
  db: Db;
  url: string;
  replicas: [Accounts, Accounts];
  faults: unknown[];
  close(): Promise<void>;
}

export async function twoReplicas(): Promise<AccountsWorld> {
  const database = await freshDatabase();
  const db = connect(database.url, { max: 5 });
  const faults: unknown[] = [];
  const open = () => createAccounts(db, { listenUrl: database.url, clock: systemClock, onFault: (error) => faults.push(error) });
  const replicas: [Accounts, Accounts] = [await open(), await open()];
  return {
    db,
    url: database.url,
    replicas,
    faults,
    async close() {
      for (const replica of replicas) await replica.close();
      await db.close();
      await database.drop();
    },
  };
}
