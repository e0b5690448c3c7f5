// A gateway of which parts are taken away after its start, so that each part's cost can be told: the product has no flag for it.
// auth: no limits, no money. limits: no money. settle: hold and settlement without the usage log.
import { loadCatalog } from "../../../src/catalog/load.ts";
import { readConfig } from "../../../src/config.ts";
import type { Context } from "../../../src/context.ts";
import { connect, type Db } from "../../../src/db/connect.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { ensurePartitions } from "../../../src/db/partitions.ts";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import { createLog, startGateway } from "../../../src/main.ts";

export type Mode = "auth" | "limits" | "settle" | "full";

const config = readConfig(process.env);
const mode = process.env.BENCH_MODE as Mode;
const databaseUrl = config.databaseUrl as string;
const db = connect(databaseUrl, { max: 2 });
await migrate(db);
await ensurePartitions(db);
if (mode === "settle") await settleWithoutLog(db);
await db.close();

const { catalog } = loadCatalog({ path: config.catalogPath as string, environment: config.environment, simulatorUrl: null });
const gateway = await startGateway(config, { databaseUrl, catalog, log: createLog(config) });
if (mode === "auth") withoutLimits(gateway.context);
if (mode === "auth" || mode === "limits") withoutMoney(gateway.context);
if (mode === "settle") withShortRows(gateway.context);
process.stdout.write(`gateway ready ${gateway.url}\n`);
process.once("SIGTERM", () => void gateway.stop().then(() => process.exit(0)));

function withoutLimits(context: Context): void {
  const { counters } = context.limits;
  context.limits = {
    ...context.limits,
    counters: {
      ...counters,
      take: async () => ({ refused: null, first: { atMs: Date.now(), lengthMs: 60_000, current: 0, previous: 0 }, waitMs: 0 }),
      correct: () => undefined,
    },
    assertBelowCeiling: () => undefined,
    assertWithin: async () => undefined,
  };
}

function withoutMoney(context: Context): void {
  const available = 10n ** 15n;
  context.ledger = {
    ...context.ledger,
    reserve: async ({ want }) => ({ granted: want, available, reserved: 0n, refused: null, keyLeft: null }),
    settle: async () => available,
  };
}

/** Entry and balance need no more of it. */
function withShortRows(context: Context): void {
  const { settle } = context.ledger;
  context.ledger = {
    ...context.ledger,
    settle({ accountId, id, log: { account_id, created_at, request_id, key_id, cost, reserved } }) {
      return settle({ accountId, id, log: { account_id, created_at, id, request_id, key_id, cost, reserved } as UsageLogRow });
    },
  };
}

/** The entries come from the rows themselves, which are written nowhere. */
async function settleWithoutLog({ pool }: Db): Promise<void> {
  const { rows } = await pool.query<{ text: string }>(
    "select pg_get_functiondef(oid) as text from pg_proc where proname = 'ledger_settle' and pronargs = 8",
  );
  const writing = /, logged as \(\s+insert into usage_log [^;]+?from unnest\(_call\)\s+\)/;
  const known = rows[0]?.text ?? "";
  if (!writing.test(known)) throw new Error("ledger_settle writes the usage log in another way than this benchmark knows");
  await pool.query(known.replace(writing, ""));
}
