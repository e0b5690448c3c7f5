// The composition root: config → database → domain → context → server. One gateway in this process; `svc start`
// (start.ts) adds a database, a simulator, workers and signals.
import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { handlers } from "../handlers/index.ts";
import type { Settlement } from "./ledger/settlement.ts";
import type { UsageLogRow } from "./ledger/usage-log.ts";
import { createAccounts } from "./accounts/accounts.ts";
import { openSealedTexts } from "./accounts/sealed-texts.ts";
import { type Batches, startBatches } from "./batches/runner.ts";
import type { BatchTimes } from "./batches/run-batch.ts";
import { openAdmission } from "./calls/admit.ts";
import { followCatalog } from "./catalog/follow.ts";
import type { Catalog } from "./catalog/types.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Context } from "./context.ts";
import { type BatcherGauge, openBatcherGauge } from "./db/batcher.ts";
import { isTrial } from "./db/hosts.ts";
import { connect, inTransaction } from "./db/connect.ts";
import { openCaptcha } from "./identity/captcha.ts";
import { openIdentityProviders } from "./identity/providers.ts";
import { startJobs } from "./jobs/jobs.ts";
import type { JobTimes } from "./jobs/parts.ts";
import { lookAtParity } from "./ledger/audit.ts";
import { openLedgerAudits } from "./ledger/audits.ts";
import { chargeOf, noteUnsettled, openChargeLog } from "./ledger/charge-log.ts";
import { openReceiptKeys } from "./ledger/receipt-keys.ts";
import { ledgerStatements, openLedger, warmUpLedger } from "./ledger/ledger.ts";
import type { LedgerTimes } from "./ledger/times.ts";
import { rateTake } from "./limits/counters.ts";
import { createLimits } from "./limits/limits.ts";
import { createMailer } from "./mail/mailer.ts";
import { type MediaOptions, openMedia } from "./media/media.ts";
import type { Amount } from "./money.ts";
import { type NoticeTimes, startNotices } from "./notices/worker.ts";
import { sendWebhook, type WebhookOptions, webhookPausesMs } from "./webhooks/send.ts";
import { disabledChannel, openDisabledRoutes } from "./operators/disabled-routes.ts";
import { followSettings } from "./operators/changed-settings.ts";
import { keepToppedUp } from "./payments/auto-charge.ts";
import { openAdapters } from "./providers/adapters.ts";
import { connectUpstreams } from "./providers/transport/http.ts";
import { createBreakers } from "./routing/breaker.ts";
import { createRouteFigures } from "./routing/figures.ts";
import { openKeepers } from "./start/keepers.ts";
import { unready } from "./start/unready.ts";
import { createServer } from "./server/http.ts";
import { addDatabaseFigures } from "./telemetry/database-figures.ts";
import { createMetrics, type Gathering } from "./telemetry/metrics.ts";
import { addGatewayFigures, countNotices } from "./telemetry/gateway-figures.ts";

export interface Gateway {
  url: string;
  context: Context;
  /** The file as it is now; false: a version that was applied stays in use. A call keeps the prices that it began with. */
  useCatalog(catalog: Catalog): boolean;
  /** Takes no more connections, finishes requests in flight, settles, closes. A second call can only shorten the grace time. */
  stop(how?: Partial<Stopping>): Promise<void>;
}

export interface Stopping {
  /** Grace time of requests in flight; 30 s by default. */
  graceMs: number;
  /** See shutdown.ts; set only if another process serves the same port. */
  keepsIdle: boolean;
}

export interface GatewayOptions {
  databaseUrl: string;
  /** Of the file. */
  catalog: Catalog;
  /** What `simulator:` stands for in a version of the catalog; absent: no simulator runs. */
  simulatorUrl?: string | null;
  /** Absent: the database's clock, so that a wrong clock of this machine never dates stored rows. */
  clock?: Clock;
  log?: Logger;
  /** See ServerParts; tests throw. */
  onUndeclared?: Parameters<typeof createServer>[0]["onUndeclared"];
  /** For tests: shorter times. */
  limits?: Parameters<typeof createServer>[0]["limits"];
  graceMs?: number;
  jobs?: Partial<JobTimes>;
  batches?: Partial<BatchTimes>;
  connectionLifeMs?: number;
  ledger?: LedgerTimes;
  notices?: Partial<NoticeTimes>;
  /** How often low balances are looked for, to be topped up. */
  autoTopupMs?: number;
  /** For tests: a certificate to trust, and names. */
  webhooks?: WebhookOptions;
  /** For tests: a certificate to trust. */
  media?: MediaOptions;
  /** The other workers, whose metrics /metrics includes. */
  gathering?: Gathering;
}

/**
 * Three batchers (reserve, settle, limits) have one statement in flight each. The other seven are for reads, the heartbeat and short
 * transactions (sign-in, keys, top-ups, payment events): none holds one while it hashes a password or asks another server, so seven
 * serve more than one process can. More would exhaust a Postgres of 100 connections, since each process has as many.
 */
const connectionsMax = 10;
/** A request's query takes less than a tenth of this; a caller waits for two of them at most. */
const databaseSilenceMs = 4_000;
/** A changed address is noticed within a tenth of this, because connections are renewed in turn. */
export const connectionLifeMs = 5 * 60_000;
/** The default grace time; tests shorten it. */
export const stopTimes = { graceMs: 30_000 };
const settleMs = 5_000;
/** An unavailable collector must not hold up the shutdown. */
const flushMs = 3_000;

/** The database must be migrated. */
export async function startGateway(config: Config, options: GatewayOptions): Promise<Gateway> {
  const { catalog: file, log = createLog(config) } = options;
  await using opening = new AsyncDisposableStack(); // closes, last first, what a failed start has opened
  const onFault = (error: unknown, what: string) => log.error({ err: error }, `${what} failed`);
  const db = opening.adopt(openDatabase(config, options, log), (opened) => opened.close());
  const clock = options.clock ?? db.checks.now;
  const metrics = createMetrics(options.gathering);
  const batchers = { admit: openBatcherGauge(), reserve: openBatcherGauge(), settle: openBatcherGauge(), limits: openBatcherGauge() };
  const disabled = opening.adopt(openDisabledRoutes(db, { clock, onFault }), (opened) => opened.close());
  await disabled.refresh();
  const surroundings = { environment: config.environment, simulatorUrl: options.simulatorUrl ?? null };
  const catalogs = opening.adopt(await followCatalog({ db, file, surroundings, clock, log, onFault }), (opened) => opened.close());
  const settings = opening.adopt(await followSettings({ db, environment: config, onFault }), (opened) => opened.close());
  const alsoHears = [{ channel: disabledChannel, changed: () => void disabled.refresh() }, catalogs.hears, settings.hears];
  const domain = await openDomain(config, options, { opening, db, clock, log, metrics, batchers, onFault, alsoHears });
  const upstreams = opening.adopt(connectUpstreams(), (opened) => opened.close());
  const media = opening.adopt(await openMedia(config, options.media), (opened) => opened.close());
  // Loaded only with a collector.
  const tracing =
    config.traces === null ? null : (await import("./telemetry/open-tracing.ts")).openTracing({ ...config.traces, addMetric: metrics.add });
  opening.defer(() => tracing?.close(flushMs));
  const breakers = createBreakers(undefined, disabled.isDisabled);
  const { ledger } = domain;
  const { commitAgeMs } = ledger;
  addGatewayFigures(metrics, { batchers, upstreams, breakers, database: db.pool, checks: db.checks, commitAgeMs, catalogs });
  addDatabaseFigures(metrics, { transaction: (work) => inTransaction(db, work), lookAtParity, onFault });
  const providers = openAdapters(upstreams, media);
  const listenUrl = config.databaseDirectUrl ?? options.databaseUrl;
  const engine = {
    ...{ db, listenUrl, catalog: catalogs.catalog, providers, breakers, media, log, onFault, tracing },
    ...{ counts: metrics, chargeLog: domain.chargeLog, times: options.jobs },
  };
  const jobs = opening.adopt(await startJobs(engine), (opened) => opened.stop(0));
  const { countAttempt, countOverrun, countKept, countHold } = metrics;
  const parts = { clock, log, db, settings, catalogs, breakers, providers, media, jobs, countAttempt, countOverrun, countKept, countHold };
  const context: Context = { ...parts, ...domain, config: settings.config, catalog: catalogs.catalog, publicUrl: config.publicUrl ?? "" };
  const { mailer } = domain;
  const send = (delivery: Parameters<typeof sendWebhook>[1]) => sendWebhook({ db, config, onFault, options: options.webhooks }, delivery);
  const notices = {
    ...{ db, clock, mailer, publicUrl: () => context.publicUrl, onFault, count: countNotices(metrics), times: options.notices },
    webhooks: { send, pausesMs: webhookPausesMs },
  };
  opening.adopt(startNotices(notices), (opened) => opened.stop());
  const server = await createServer({
    context,
    handlers,
    unready: () => unready(db, ledger, Object.values(batchers)),
    metrics,
    tracing,
    limits: options.limits,
    onUndeclared: options.onUndeclared,
  });
  const { port } = await server.listen(config.port, config.host);
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  if (config.publicUrl === null) context.publicUrl = url;
  const batches = opening.adopt(
    startBatches({ context, owner: ledger.owner, answer: server.answerLine, onFault, times: options.batches }),
    (opened) => opened.stop(0),
  );
  const handOver = () => metrics.handOver();
  return running({ url, context, jobs, batches, server, handOver, opened: opening.move(), graceMs: options.graceMs ?? stopTimes.graceMs });
}

function openDatabase(config: Config, { databaseUrl, connectionLifeMs: lifeMs = connectionLifeMs }: GatewayOptions, log: Logger) {
  return connect(databaseUrl, {
    max: connectionsMax,
    silenceMs: databaseSilenceMs,
    // Not the error itself: it references the connection with all its data.
    onIdleError: ({ code, message }) => log.warn({ err: { code, message } }, "a database connection broke"),
    kept: { lifeMs, warmUp: warmUpLedger, prepared: [...ledgerStatements, rateTake] },
    onDoubt: (doubt, reason) =>
      reason === null ? log.info({ doubt }, "new calls are taken again") : log.error({ doubt, reason }, "new calls are refused"),
    // A separate direct address means that databaseUrl leads to a transaction pooler, which refuses the parameter.
    ...(config.databaseDirectUrl === null ? {} : { statementTimeoutMs: 0 }),
  });
}

interface Ground {
  opening: AsyncDisposableStack;
  db: Context["db"];
  clock: Clock;
  log: Logger;
  metrics: ReturnType<typeof createMetrics>;
  batchers: Record<"admit" | "reserve" | "settle" | "limits", BatcherGauge>;
  onFault: (error: unknown, what: string) => void;
  alsoHears: readonly { channel: string; changed: () => void }[];
}

/** Money, accounts, limits, mail, sign-in and payments; each closes with `opening`. */
async function openDomain(
  config: Config,
  { databaseUrl, ledger: times, autoTopupMs: everyMs }: GatewayOptions,
  { opening, db, clock, log, metrics, batchers, onFault, alsoHears }: Ground,
) {
  const chargeLog = config.chargeLog === null ? null : opening.adopt(openChargeLog(config.chargeLog, onFault), (opened) => opened.close());
  const watch = {
    admitting: batchers.admit,
    reserving: batchers.reserve,
    settling: batchers.settle,
    reserved: (granted: Amount | null) => metrics.countHold("call", granted),
    settled: (log: UsageLogRow) => {
      metrics.countCharge(log);
      chargeLog?.add(chargeOf(log));
    },
    unsettled(settlement: Settlement) {
      metrics.countUnsettled();
      noteUnsettled(settlement, chargeLog, log);
    },
    settledSlower: metrics.countSettledSlower,
  };
  const ledger = await openLedger(db, onFault, watch, times);
  opening.defer(() => ledger.close());
  const listenUrl = config.databaseDirectUrl ?? databaseUrl;
  const accounts = await createAccounts(db, { listenUrl, clock, onFault, onRecall: ledger.recall, alsoHears });
  ledger.hears(accounts.heardUntil);
  opening.defer(() => accounts.close());
  const limits = opening.adopt(createLimits(db, onFault, batchers.limits), (opened) => opened.close());
  const mails = { name: config.service.name, smtpUrl: config.smtpUrl, from: config.mailFrom, log, prints: isTrial(config) };
  const mailer = opening.adopt(createMailer(mails), (opened) => opened.close());
  const identityProviders = opening.adopt(openIdentityProviders(config.signInProviders), (opened) => opened.close());
  const captcha =
    config.signUp.captcha === null ? null : opening.adopt(openCaptcha(config.signUp.captcha, onFault), (opened) => opened.close());
  // The SDK takes a tenth of a second to load, so it is loaded only if configured.
  const payments = config.stripe === null ? null : (await import("./payments/stripe.ts")).connectStripe(config.stripe);
  opening.adopt(keepToppedUp({ db, clock, log, payments, onFault, everyMs }), (opened) => opened.stop());
  openKeepers({ opening, db, clock, config, metrics, onFault, log });
  const ledgerAudits = opening.adopt(openLedgerAudits({ db, url: listenUrl, onFault }), (opened) => opened.close());
  const admitCall = openAdmission({ ledger, limits, clock });
  return {
    ...{ ledger, ledgerAudits, chargeLog, receiptKeys: openReceiptKeys(db, config.receiptSecret), sealedTexts: openSealedTexts(db) },
    ...{ accounts, limits, admitCall, routeFigures: createRouteFigures(), mailer, identityProviders, captcha, payments },
  };
}

interface Running {
  url: string;
  context: Context;
  jobs: Awaited<ReturnType<typeof startJobs>>;
  batches: Batches;
  server: Awaited<ReturnType<typeof createServer>>;
  handOver: () => Promise<void>;
  opened: AsyncDisposableStack;
  graceMs: number;
}

/** A gateway that serves, and how it ends. */
function running({ url, context, jobs, batches, server, handOver, opened, graceMs }: Running): Gateway {
  let serving = context;
  const use = (changed: Partial<Context>) => server.useContext((serving = { ...serving, ...changed }));
  context.catalogs.serveWith((catalog) => {
    if (catalog === serving.catalog) return;
    jobs.useCatalog(catalog);
    use({ catalog });
  });
  context.settings.serveWith((config) => config !== serving.config && use({ config }));
  let stopping: Promise<void> | undefined;
  const stop = async (how: Stopping) => {
    // In parallel: jobs and requests don't depend on each other. Another process finishes the jobs that take longer.
    const endMs = Math.min(graceMs, how.graceMs);
    await Promise.all([server.close(how.graceMs, how.keepsIdle), jobs.stop(endMs), batches.stop(endMs)]);
    await settled(context.ledger);
    await handOver();
    await opened.disposeAsync();
  };
  return {
    ...{ url, context, useCatalog: (next: Catalog) => context.catalogs.useFile(next) },
    stop(how) {
      const { keepsIdle, ...asked } = { graceMs, keepsIdle: false, ...how };
      if (stopping !== undefined && !keepsIdle) server.hasten(asked.graceMs);
      return (stopping ??= stop({ ...asked, keepsIdle }));
    },
  };
}

/** Calls that were aborted at the end of the grace time still have to settle, which takes a moment. */
async function settled(ledger: Context["ledger"]): Promise<void> {
  for (const giveUpAt = performance.now() + settleMs; ledger.inFlight() > 0 && performance.now() < giveUpAt;) await sleep(20);
}

/** A line for each request, written in chunks of a few kilobytes. They gather as bytes: text would be copied whole with each line. */
const logGathers = { minLength: 4_096, periodicFlush: 250, contentMode: "buffer" } as const;

export function createLog(config: Pick<Config, "logLevel">): Logger {
  const file = pino.destination({ dest: 2, sync: false, ...logGathers });
  const write = file.write.bind(file) as unknown as (line: Buffer) => boolean;
  return pino({ level: config.logLevel, base: null }, Object.assign(file, { write: (line: string) => write(Buffer.from(line)) }));
}
