// A gateway process reduced to its ledger, for tests that race or kill several: calls that cost exactly what they
// reserve, 64 at a time. Prints each acknowledged charge's id as a line, then a line with its counts.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../src/db/connect.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import type { SentCalls } from "./start-worker.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

const [url, callsText] = process.argv.slice(2) as [string, string];
const calls = JSON.parse(callsText) as SentCalls;
const { slot, upstreamMs = 0 } = calls;
const accountId = BigInt(calls.accountId);
const keyId = calls.keyId === undefined ? null : BigInt(calls.keyId);
const cost = BigInt(calls.cost);
let left = calls.count;
let admitted = 0;
let refused = 0;
let broken = 0;

const db = connect(url, { max: 4 });
const ledger = await openLedger(db, () => undefined);
process.stdout.write("ready\n");
// A test that holds this lock lets all its workers begin at once.
await db.pool.query("select pg_advisory_xact_lock_shared($1)", [calls.startLock]);
await Promise.all(Array.from({ length: 64 }, caller));
await ledger.close();
await db.close();
process.stdout.write(`${JSON.stringify({ admitted, refused, broken })}\n`);

async function caller(): Promise<void> {
  while (left-- > 0) {
    const id = randomUUID();
    const at = new Date();
    try {
      const { granted } = await ledger.reserve({ accountId, keyId, id, want: cost, least: cost, ...(slot ? { slot } : {}) });
      if (granted === null) {
        refused += 1;
        continue;
      }
      if (upstreamMs > 0) await sleep(upstreamMs);
      await ledger.settle({ accountId, id, log: usageLogRow({ accountId, id, cost, at, keyId, reserved: cost }) });
      admitted += 1;
      process.stdout.write(`${id}\n`);
    } catch {
      broken += 1; // the database was unavailable for longer than this call's timeout
    }
  }
}
