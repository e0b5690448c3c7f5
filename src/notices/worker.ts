// The worker of notices, one in each process: plans and sends what is due, looks for causes once a minute, and deletes what is old.
import type { Clock } from "../clock.ts";
import { keepDoing } from "../concurrency/keep-doing.ts";
import type { Db } from "../db/connect.ts";
import type { Mailer } from "../mail/mailer.ts";
import {
  type Claimed,
  type CountedOutcome,
  deliverDue,
  isStillTold,
  mailPausesMs,
  type Outcome,
  planNotices,
  type Send,
} from "./deliveries.ts";
import { lookForCauses } from "./look.ts";
import { sendByMail } from "./mails.ts";

export interface NoticeTimes {
  /** How often a process looks for what is due. */
  everyMs: number;
  /** How often one process of all looks for low balances, used-up budgets and keys that expire. */
  lookMs: number;
}

const noticeTimes: NoticeTimes = { everyMs: 5_000, lookMs: 60_000 };
const tidyMs = 60 * 60_000;
/** Notices, and what became of them, are kept for this long. */
const keptDays = 30;
/** At once in this process. */
const deliveriesMax = 10;
const tidyBatch = 1_000;
/** Rounds before new notices are looked for and planned again. */
const roundsMax = 20;

interface NoticesOptions {
  db: Db;
  clock: Clock;
  mailer: Mailer;
  publicUrl: () => string;
  onFault: (error: unknown, what: string) => void;
  count: (outcome: CountedOutcome) => void;
  /** How a delivery to an endpoint is sent, and the pauses between its attempts. */
  webhooks: { send: Send; pausesMs: readonly number[] };
  times?: Partial<NoticeTimes> | undefined;
}

interface Notices {
  /** Waits for the deliveries under way. */
  stop(): Promise<void>;
}

export function startNotices({ times, ...parts }: NoticesOptions): Notices {
  const { everyMs, lookMs } = { ...noticeTimes, ...times };
  let stopped = false;
  const turns = keepDoing(everyMs, async () => {
    if (parts.db.checks.refusal !== null) return;
    await work(parts, lookMs, () => stopped).catch((error: unknown) => parts.onFault(error, "sending notices"));
  });
  return {
    async stop() {
      stopped = true;
      await turns.stop();
    },
  };
}

async function work(parts: Omit<NoticesOptions, "times">, lookMs: number, isStopped: () => boolean): Promise<void> {
  const { db, clock, count } = parts;
  const { rows } = await db.pool.query<{ look: boolean; tidy: boolean; plan: boolean; due: boolean }>(dueSql, [
    lookMs / 1000,
    tidyMs / 1000,
  ]);
  const { look, tidy, plan, due } = rows[0]!;
  if (look && (await takeTurn(db, "look", lookMs))) await lookForCauses(db, clock());
  if (tidy && (await takeTurn(db, "tidy", tidyMs))) await deleteOld(db, clock());
  if (look || plan) while (!isStopped() && (await planNotices(db, clock())) > 0);
  if (!look && !plan && !due) return;
  const delivering = {
    ...{ db, count, send: (delivery: Claimed) => sendOne(parts, delivery) },
    pausesMs: ({ address }: Claimed) => (address === null ? parts.webhooks.pausesMs : mailPausesMs),
  };
  for (let round = 0; round < roundsMax && !isStopped() && (await deliverDue(delivering, deliveriesMax)) > 0; round += 1);
}

/** One statement where nothing is due, which is nearly always. */
const dueSql = `select
  exists (select from notice_sweep where name = 'look' and swept_at <= clock_timestamp() - make_interval(secs => $1)) as look,
  exists (select from notice_sweep where name = 'tidy' and swept_at <= clock_timestamp() - make_interval(secs => $2)) as tidy,
  exists (select from notice where planned_at is null) as plan,
  exists (select from notice_delivery where due_at <= clock_timestamp()) as due`;

/** True for one process of all. */
async function takeTurn({ pool }: Db, name: string, everyMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update notice_sweep set swept_at = clock_timestamp()
     where name = $1 and swept_at <= clock_timestamp() - make_interval(secs => $2)`,
    [name, everyMs / 1000],
  );
  return rowCount === 1;
}

/** Their deliveries go with them. */
async function deleteOld({ pool }: Db, at: Date): Promise<void> {
  const before = new Date(at.getTime() - keptDays * 24 * 60 * 60_000);
  const sql = `delete from notice n using (select account_id, id from notice where created_at < $1 order by created_at limit $2) old
    where n.account_id = old.account_id and n.id = old.id`;
  while ((await pool.query(sql, [before, tidyBatch])).rowCount === tidyBatch);
}

const untold: Outcome = { sent: false, final: true, code: null, response: "the person is not told of this any more", untold: true };

/** A fault of ours says nothing about the recipient: the delivery is tried again. */
async function sendOne({ onFault, ...parts }: Omit<NoticesOptions, "times">, delivery: Claimed): Promise<Outcome> {
  try {
    if (delivery.address === null) return await parts.webhooks.send(delivery);
    return (await isStillTold(parts.db, delivery, delivery.address)) ? await sendByMail(parts, delivery) : untold;
  } catch (error) {
    onFault(error, "sending a notice");
    return { sent: false, final: false, code: null, response: "the gateway failed" };
  }
}
