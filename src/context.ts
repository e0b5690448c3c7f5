// The parts that the composition root builds once and hands down. Types only; a function that needs only `db` takes only `db`.
import type { Logger } from "pino";
import type { Accounts } from "./accounts/accounts.ts";
import type { SealedTexts } from "./accounts/sealed-texts.ts";
import type { AdmitCall } from "./calls/admit.ts";
import type { CatalogFollower } from "./catalog/follow.ts";
import type { Catalog } from "./catalog/types.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Db } from "./db/connect.ts";
import type { Captcha } from "./identity/captcha.ts";
import type { IdentityProviders } from "./identity/calls.ts";
import type { Jobs } from "./jobs/types.ts";
import type { LedgerAudits } from "./ledger/audits.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { ReceiptKeys } from "./ledger/receipt-keys.ts";
import type { Limits } from "./limits/limits.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { Media } from "./media/types.ts";
import type { SettingsFollower } from "./operators/changed-settings.ts";
import type { Payments } from "./payments/types.ts";
import type { Adapters } from "./providers/adapters.ts";
import type { Breakers } from "./routing/breaker.ts";
import type { RouteFigures } from "./routing/figures.ts";
import type { CallCounts } from "./telemetry/call-figures.ts";

export interface Context {
  /** With what operators changed; in force when the call began, which keeps it. */
  config: Config;
  /** The changes of it. */
  settings: SettingsFollower;
  clock: Clock;
  log: Logger;
  db: Db;
  /** In use when the call began, which keeps it. */
  catalog: Catalog;
  /** The versions of it. */
  catalogs: CatalogFollower;
  ledger: Ledger;
  receiptKeys: ReceiptKeys;
  ledgerAudits: LedgerAudits;
  accounts: Accounts;
  sealedTexts: SealedTexts;
  limits: Limits;
  admitCall: AdmitCall;
  mailer: Mailer;
  /** The external identity providers. */
  identityProviders: IdentityProviders;
  /** Null: a sign-up needs none. */
  captcha: Captcha | null;
  /** Null: there are no online payments; the operator adds credit by hand. */
  payments: Payments | null;
  breakers: Breakers;
  routeFigures: RouteFigures;
  providers: Adapters;
  /** What media jobs made, and callers' files that are safe to load. */
  media: Media;
  jobs: Jobs;
  /** For /metrics: one attempt at an upstream. */
  countAttempt: CallCounts["countAttempt"];
  /** For /metrics: measured usage above its hold or above what the model allows. */
  countOverrun: CallCounts["countOverrun"];
  /** For /metrics: whether a kept answer was served. */
  countKept: CallCounts["countKept"];
  /** For /metrics: a job's hold. */
  countHold: CallCounts["countHold"];
  /** The gateway's public address, without a trailing slash: the base of every address in a reply or a mail. */
  publicUrl: string;
}
