// The composition root: config → database → domain → context → server. One gateway in this process; `svc start`
// (start.ts) is what puts a database, a simulator, workers and signals around it.
import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { handlers } from "../handlers/index.ts";
import { createAccounts } from "./accounts/accounts.ts";
import type { Catalog } from "./catalog/types.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Context } from "./context.ts";
import { connect, inTransaction } from "./db/connect.ts";
import { openLaneGauge } from "./db/lane.ts";
import { keepPartitions } from "./db/partitions.ts";
import { isLocal } from "./db/turns.ts";
import { openIdentityProviders } from "./identity/providers.ts";
import { startJobs } from "./jobs/jobs.ts";
import type { JobTimes } from "./jobs/times.ts";
import { openLedger } from "./ledger/ledger.ts";
import { lookAtParity } from "./ledger/parity.ts";
import { createLimits } from "./limits/limits.ts";
import { type MediaOptions, openMedia } from "./media/media.ts";
import { createMailer } from "./mail/mailer.ts";
import { openAdapters } from "./providers/adapters.ts";
import { connectUpstreams } from "./providers/http.ts";
import { createBreakers } from "./routing/breaker.ts";
import { createServer } from "./server/http.ts";
import { keepSwept } from "./sign-in/sweep.ts";
import { addDatabaseFigures } from "./telemetry/database-figures.ts";
import { addGatewayFigures } from "./telemetry/gateway-figures.ts";
import { createMetrics, type Gathering } from "./telemetry/metrics.ts";

export interface Gateway {
  url: string;
  context: Context;
  /**
   * Takes no more connections, finishes what is in flight (30 s at most), settles, closes. `idleMs`: see shutdown.ts; only where
   * another process serves the same port. Idempotent.
   */
  stop(idleMs?: number): Promise<void>;
}

export interface GatewayOptions {
  databaseUrl: string;
  catalog: Catalog;
  clock?: Clock;
  log?: Logger;
  /** See ServerParts; tests throw. */
  onUndeclared?: Parameters<typeof createServer>[0]["onUndeclared"];
  /** Tests shorten what they would otherwise wait for. */
  limits?: Parameters<typeof createServer>[0]["limits"];
  graceMs?: number;
  jobs?: Partial<JobTimes>;
  /** Tests trust a certificate of their own. */
  media?: MediaOptions;
  /** Other workers, whose figures /metrics shows as well. */
  gathering?: Gathering;
}

/**
 * Three lanes (reserve, settle, limits) have one statement in flight each. The other seven are for reads, the heartbeat and short
 * transactions (sign-in, keys, top-ups, payment events): none holds one while it hashes a password or asks another server, so seven
 * serve more than one process can. More would take a Postgres of 100 connections from other processes: each has as many.
 */
const connectionsMax = 10;
/** No query of a request takes a tenth of it; a caller waits for two of them at most. */
const databaseSilenceMs = 4_000;
const graceDefaultMs = 30_000;
const settleMs = 5_000;
/** A collector that is away must not hold up the end. */
const flushMs = 3_000;

/** The database must be migrated. */
export async function startGateway(config: Config, options: GatewayOptions): Promise<Gateway> {
  const { databaseUrl, catalog, clock = systemClock, log = createLog(config), graceMs = graceDefaultMs } = options;
  await using opening = new AsyncDisposableStack(); // what a start that fails has opened is closed again, last first
  const db = connect(databaseUrl, {
    max: connectionsMax,
    silenceMs: databaseSilenceMs,
    // Not the error itself: it carries the connection with all that it holds.
    onIdleError: ({ code, message }) => log.warn({ err: { code, message } }, "a database connection broke"),
    // A direct address beside it says that a transaction pooler stands before databaseUrl; it refuses the parameter.
    ...(config.databaseDirectUrl === null ? {} : { statementTimeoutMs: 0 }),
  });
  opening.defer(() => db.close());
  const onFault = (error: unknown, what: string) => log.error({ err: error }, `${what} failed`);
  const metrics = createMetrics(options.gathering);
  const lanes = { reserve: openLaneGauge(), settle: openLaneGauge(), limits: openLaneGauge() };
  const ledger = await openLedger(db, onFault, {
    reserving: lanes.reserve,
    settling: lanes.settle,
    reserved: (granted) => metrics.countHold("call", granted),
    settled: metrics.countCharge,
  });
  opening.defer(() => ledger.close());
  const listenUrl = config.databaseDirectUrl ?? databaseUrl;
  const accounts = await createAccounts(db, { listenUrl, clock, onFault });
  opening.defer(() => accounts.close());
  const limits = createLimits(db, onFault, lanes.limits);
  opening.defer(() => limits.close());
  const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, log, prints: isLocal(databaseUrl) });
  opening.defer(() => mailer.close());
  const identityProviders = openIdentityProviders(config.signInProviders);
  opening.defer(() => identityProviders.close());
  // The SDK takes a tenth of a second to load: only for those who use it.
  const payments = config.stripe === null ? null : (await import("./payments/stripe.ts")).connectStripe(config.stripe);
  const partitions = keepPartitions(db, { usageLogMonths: config.usageLogMonths, onFault });
  opening.defer(() => partitions.stop());
  const swept = keepSwept(db, { clock, onFault });
  opening.defer(() => swept.stop());
  const upstreams = connectUpstreams();
  opening.defer(() => upstreams.close());
  const media = await openMedia(config, options.media);
  opening.defer(() => media.close());
  // Loaded for those who have a collector alone.
  const tracing =
    config.traces === null ? null : (await import("./telemetry/open-tracing.ts")).openTracing({ ...config.traces, addMetric: metrics.add });
  opening.defer(() => tracing?.close(flushMs));
  const breakers = createBreakers();
  addGatewayFigures(metrics, { lanes, upstreams, breakers, database: db.pool });
  addDatabaseFigures(metrics, { transaction: (work) => inTransaction(db, work), lookAtParity, onFault });
  const providers = openAdapters(upstreams, media);
  const jobs = await startJobs({
    db,
    listenUrl,
    catalog,
    providers,
    breakers,
    media,
    log,
    onFault,
    counts: metrics,
    tracing,
    times: options.jobs,
  });
  opening.defer(() => jobs.stop(0));
  const context: Context = {
    config,
    clock,
    log,
    db,
    catalog,
    ledger,
    accounts,
    limits,
    mailer,
    identityProviders,
    payments,
    breakers,
    providers,
    media,
    jobs,
    countAttempt: metrics.countAttempt,
    countHold: metrics.countHold,
    publicUrl: config.publicUrl ?? "",
  };
  const server = await createServer({
    context,
    handlers,
    ready: () => answers(db),
    metrics,
    tracing,
    limits: options.limits,
    onUndeclared: options.onUndeclared,
  });
  const { port } = await server.listen(config.port, config.host);
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  if (config.publicUrl === null) context.publicUrl = url;

  const opened = opening.move();
  let stopping: Promise<void> | undefined;
  const stop = async (idleMs: number) => {
    // Together: what jobs need for their end, no request needs, and both have the same time for it.
    await Promise.all([server.close(graceMs, idleMs), jobs.stop(graceMs)]);
    await settled(ledger);
    await metrics.handOver();
    await opened.disposeAsync();
  };
  return { url, context, stop: (idleMs = 0) => (stopping ??= stop(idleMs)) };
}

/** Calls that were cut off at the end of the grace time have yet to say what they cost; a moment after, all have. */
async function settled(ledger: Context["ledger"]): Promise<void> {
  for (const giveUpAt = performance.now() + settleMs; ledger.inFlight() > 0 && performance.now() < giveUpAt;) await sleep(20);
}

/** A line a request, written a few kilobytes at a time: a write of its own costs more than anything else that is done for a line. */
const logGathers = { minLength: 4_096, periodicFlush: 250 };

export function createLog(config: Pick<Config, "logLevel">): Logger {
  return pino({ level: config.logLevel, base: null }, pino.destination({ dest: 2, sync: false, ...logGathers }));
}

async function answers(db: Context["db"]): Promise<boolean> {
  try {
    await db.pool.query("select 1");
    return true;
  } catch {
    return false;
  }
}
