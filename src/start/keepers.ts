// What a gateway does on its own now and then: partitions, sums, sweeps, expiring credit, the ledger's head in a file.
import { unknownWorkspaces } from "../accounts/group-members.ts";
import { keepResponsesSwept } from "../accounts/stored-responses.ts";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/connect.ts";
import { keepPartitions } from "../db/partitions.ts";
import { keepAddedUp } from "../ledger/audits.ts";
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
  log: Logger;
}

/** Each ends with `opening`. */
export function openKeepers({ opening, db, clock, config, metrics, onFault, log }: Ground): void {
  void reportUnknown(db, config, log).catch((error: unknown) => onFault(error, "looking for the workspaces of sign-ins' groups"));
  opening.adopt(keepPartitions(db, { usageLogMonths: config.usageLogMonths, onFault }), (opened) => opened.stop());
  opening.adopt(keepRolledUp(db, { months: config.usageRollupMonths, onFault }), (opened) => opened.stop());
  opening.adopt(keepAddedUp(db, onFault), (opened) => opened.stop());
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

/** At the start, so that a mistyped id shows before a membership is missing. */
async function reportUnknown(db: Db, { signInProviders }: Ground["config"], log: Logger): Promise<void> {
  for (const { name, speaks } of signInProviders) {
    if (speaks.protocol !== "openid" || speaks.groups === null) continue;
    const unknown = await unknownWorkspaces(
      db,
      speaks.groups.rules.map(({ workspace }) => workspace),
    );
    if (unknown.length > 0)
      log.warn({ provider: name, workspaces: unknown }, "groups of a sign-in provider name workspaces that do not exist");
  }
}
