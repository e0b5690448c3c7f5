// What a gateway does on its own now and then: partitions, sums, sweeps, expiring credit, the ledger's head in a file.
import { keepResponsesSwept } from "../accounts/stored-responses.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/connect.ts";
import { keepPartitions } from "../db/partitions.ts";
import { keepGrantsExpired } from "../ledger/grants.ts";
import { keepHeadFile } from "../ledger/head-file.ts";
import { keepKeysSwept } from "../ledger/idempotency.ts";
import { keepAnswersSwept } from "../ledger/kept-answers.ts";
import { keepRolledUp } from "../ledger/summary/roll-up.ts";
import { keepSwept } from "../sign-in/sweep.ts";
import type { Metrics } from "../telemetry/metrics.ts";

interface Ground {
  opening: AsyncDisposableStack;
  db: Db;
  clock: Clock;
  config: Config;
  metrics: Metrics;
  onFault: (error: unknown, what: string) => void;
}

/** Each ends with `opening`. */
export function openKeepers({ opening, db, clock, config, metrics, onFault }: Ground): void {
  opening.adopt(keepPartitions(db, { usageLogMonths: config.usageLogMonths, onFault }), (opened) => opened.stop());
  opening.adopt(keepRolledUp(db, { months: config.usageRollupMonths, onFault }), (opened) => opened.stop());
  opening.adopt(keepSwept(db, { clock, onFault }), (opened) => opened.stop());
  opening.adopt(keepGrantsExpired(db, { clock, onFault }), (opened) => opened.stop());
  opening.adopt(keepKeysSwept(db, { clock, onFault }), (opened) => opened.stop());
  opening.adopt(keepAnswersSwept(db, { clock, onFault }), (opened) => opened.stop());
  opening.adopt(keepResponsesSwept(db, { clock, onFault }), (opened) => opened.stop());
  const path = config.ledgerHeadFile;
  const head = path === null ? null : opening.adopt(keepHeadFile(db, path, onFault), (opened) => opened.stop());
  const help = "When the ends of the ledger were last written to SVC_LEDGER_HEAD_FILE; before that, when the gateway started";
  metrics.add({ name: "svc_ledger_head_timestamp_seconds", help, type: "gauge", aggregator: "max" }, () =>
    head === null ? [] : [{ labels: {}, value: head.writtenAt() }],
  );
}
