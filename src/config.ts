// Reads the environment, once (docs/behaviour/operation.md#start). Nothing else reads process.env; src/catalog/load.ts, which needs the
// provider keys that the catalog names, gets the environment handed in.
import { foldEmail, isEmailAddress } from "./text/email-address.ts";
import { domainList, readDomains, readNameServers } from "./text/domain-list.ts";
import { type GroupSettings, readAsked } from "./text/group-list.ts";
import { readNotice, readSeller, readServiceName, type ServiceName } from "./text/service-name.ts";
import { type Amount, parseUsd } from "./money.ts";

export interface Config {
  host: string;
  port: number;
  /** Null: the embedded database under dataDir. */
  databaseUrl: string | null;
  /** Bypasses a transaction pooler, for LISTEN, migrations and svc; null: the same as databaseUrl. */
  databaseDirectUrl: string | null;
  dataDir: string;
  /** Null: the shipped catalog, served by the simulator. */
  catalogPath: string | null;
  /** The base of doc_url, topup_url, media addresses, links in mails and the return address of checkouts; null: http://HOST:PORT. */
  publicUrl: string | null;
  /** Lets the gateway load addresses that callers give on private ranges (still HTTPS only); for tests. */
  allowPrivateUrls: boolean;
  /** Asked for the records that prove domains (src/workspaces/domains.ts); none: the machine's. */
  nameServers: string[];
  /** The bucket for what media jobs make (src/media/blob-address.ts); null: a folder under dataDir. */
  blobUrl: string | null;
  smtpUrl: string | null;
  service: ServiceName;
  /** A sentence for everyone, which the console shows; null: none. */
  notice: string | null;
  /** The lines that say on invoices who sells; null: statements are no invoices. */
  invoiceSeller: string[] | null;
  /** Sender of mails. */
  mailFrom: string;
  signUp: SignUpConfig;
  /** Addresses whose verified accounts are operators of the gateway, as admins; in lower case. */
  operators: readonly string[];
  /** Operators' operations take only sessions that gave a code of the second factor. */
  operatorsNeedCode: boolean;
  /** External identity providers: `SVC_SIGNIN_<NAME>_…`. */
  signInProviders: SignInProvider[];
  /** Null: there are no online payments; the operator adds credit by hand. */
  stripe: StripeConfig | null;
  /** A disputed payment suspends its account. */
  suspendOnDispute: boolean;
  workers: number;
  /** Months of the usage log that are kept beside the current one; 0: all. */
  usageLogMonths: number;
  /** The same of its sums by hour and day; never less than usageLogMonths. */
  usageRollupMonths: number;
  /** Number of proxies in front whose X-Forwarded-For is trusted; 0: the client is the peer that connects. */
  trustedProxies: number;
  /** The bearer token that /metrics requires; null: no token is required. */
  metricsToken: string | null;
  /** Encrypts the private keys that sign receipts (src/ledger/receipt-keys.ts); null: they are stored as they are. */
  receiptSecret: string | null;
  /** Encrypts the secrets that sign webhooks (src/webhooks/secrets.ts); null: they are stored as they are. */
  webhookSecret: string | null;
  /** Encrypts the responses that workspaces store (src/accounts/stored-responses.ts); null: none can be stored. */
  responsesSecret: string | null;
  /** Each charge is a line of this file (src/ledger/charge-log.ts); null: of none. */
  chargeLog: string | null;
  /** Ends of the ledger, compared at the next start (src/ledger/head-file.ts); null: they are not kept. */
  ledgerHeadFile: string | null;
  logLevel: string;
  /** OpenTelemetry's own names (OTEL_…); null: no traces. Its packages read the other variables: headers, certificates, resource. */
  traces: TracesConfig | null;
  /** Holds the providers' secrets, under the names in the catalog. */
  environment: Record<string, string | undefined>;
}

export type CaptchaWidget = { service: "turnstile" | "hcaptcha"; siteKey: string };

export interface SignUpConfig {
  /** `invite`: only addresses for which the operator made an account that is not verified yet. */
  mode: "open" | "invite" | "closed";
  /** Domains of the addresses that may sign up, in lower case; null: any. */
  domains: string[] | null;
  /** Disposable email domains: neither they nor their subdomains may sign up. */
  disposable: ReadonlySet<string>;
  /** What a sign-up with a password has to pass; null: nothing. `widget`: what the console shows for it. */
  captcha: { verifyUrl: string; secret: string; widget: CaptchaWidget | null } | null;
  /** The signup credit, given when an address is verified; 0: none. */
  credit: Amount;
}

/** An external provider of identities, as the operator registered this gateway there. */
export interface SignInProvider {
  /** As paths show it: NAME in lower case, with - for _. */
  name: string;
  clientId: string;
  /** Null: a public client, which OpenID providers know. */
  clientSecret: string | null;
  /** Its protocol: OpenID Connect at an issuer, or GitHub's own at the address of its site. */
  speaks: { protocol: "openid"; issuer: URL; scope: string | null; groups: GroupSettings | null } | { protocol: "github"; site: URL };
}

export interface StripeConfig {
  secretKey: string;
  /** Signs the payment events. */
  webhookSecret: string;
  /** Null: Stripe's own. */
  apiBase: string | null;
  /** Stripe adds the tax of the payer's address to what was ordered. */
  automaticTax: boolean;
}

export interface TracesConfig {
  /** Of the collector, its path included. */
  url: string;
  /** OTEL_TRACES_SAMPLER and its argument. */
  sampler: {
    /** Follows the caller's traceparent, if there is one. */
    parentBased: boolean;
    /** The share of the other requests that is sampled: 0 none to 1 all. */
    ratio: number;
  };
}

export function readConfig(environment: Record<string, string | undefined>): Config {
  const text = (name: string) => environment[name]?.trim() || null;
  return {
    ...{ host: text("HOST") ?? "127.0.0.1", port: wholeNumber(text("PORT"), "PORT", 0, 65_535) ?? 8787 },
    databaseUrl: postgresAddress(text("DATABASE_URL"), "DATABASE_URL"),
    databaseDirectUrl: postgresAddress(text("DATABASE_DIRECT_URL"), "DATABASE_DIRECT_URL"),
    ...{ dataDir: text("SVC_DATA_DIR") ?? ".svc", catalogPath: text("SVC_CATALOG"), blobUrl: text("SVC_BLOB_URL") },
    publicUrl: webAddress(text("SVC_PUBLIC_URL"), "SVC_PUBLIC_URL")?.href.replace(/\/+$/, "") ?? null,
    allowPrivateUrls: oneOf(text("SVC_ALLOW_PRIVATE_URLS"), "SVC_ALLOW_PRIVATE_URLS", onOff) === "1",
    nameServers: readNameServers(text("SVC_DNS_SERVERS"), "SVC_DNS_SERVERS"),
    ...{ service: readServiceName(text("SVC_NAME"), text("SVC_LOGO")), notice: readNotice(text("SVC_NOTICE")) },
    invoiceSeller: readSeller(text("SVC_INVOICE_SELLER")),
    ...{ smtpUrl: text("SMTP_URL"), mailFrom: text("SVC_MAIL_FROM") ?? "gateway@localhost" },
    signUp: {
      mode: (oneOf(text("SVC_SIGNUP"), "SVC_SIGNUP", ["open", "invite", "closed"]) ?? "open") as SignUpConfig["mode"],
      domains: domainList(text("SVC_SIGNUP_DOMAINS"), "SVC_SIGNUP_DOMAINS"),
      disposable: readDomains(text("SVC_DISPOSABLE_DOMAINS"), "SVC_DISPOSABLE_DOMAINS"),
      captcha: readCaptcha(text),
      credit: usd(text("SVC_SIGNUP_CREDIT") ?? "0.50", "SVC_SIGNUP_CREDIT"),
    },
    operators: addressList(text("SVC_OPERATORS"), "SVC_OPERATORS"),
    operatorsNeedCode: oneOf(text("SVC_OPERATORS_TOTP"), "SVC_OPERATORS_TOTP", ["required"]) !== null,
    signInProviders: readSignInProviders(environment, text),
    stripe: readStripe(text),
    suspendOnDispute: oneOf(text("SVC_SUSPEND_ON_DISPUTE"), "SVC_SUSPEND_ON_DISPUTE", onOff) === "1",
    workers: wholeNumber(text("SVC_WORKERS"), "SVC_WORKERS", 1, 256) ?? 1,
    ...readUsageMonths(text),
    trustedProxies: wholeNumber(text("SVC_TRUSTED_PROXIES"), "SVC_TRUSTED_PROXIES", 0, 16) ?? 0,
    metricsToken: bearerToken(text("SVC_METRICS_TOKEN"), "SVC_METRICS_TOKEN"),
    receiptSecret: longSecret(text("SVC_RECEIPT_SECRET"), "SVC_RECEIPT_SECRET"),
    webhookSecret: longSecret(text("SVC_WEBHOOK_SECRET"), "SVC_WEBHOOK_SECRET"),
    responsesSecret: longSecret(text("SVC_RESPONSES_SECRET"), "SVC_RESPONSES_SECRET"),
    ...{ chargeLog: text("SVC_CHARGE_LOG"), ledgerHeadFile: text("SVC_LEDGER_HEAD_FILE") },
    logLevel: oneOf(text("LOG_LEVEL"), "LOG_LEVEL", logLevels) ?? "info",
    traces: readTraces(text),
    environment,
  };
}

/** Sums that are older than their rows would be missing from a summary that the rows could still be seen in. */
function readUsageMonths(text: (name: string) => string | null): Pick<Config, "usageLogMonths" | "usageRollupMonths"> {
  const usageLogMonths = wholeNumber(text("SVC_USAGE_LOG_MONTHS"), "SVC_USAGE_LOG_MONTHS", 0, 1200) ?? 13;
  const asked = wholeNumber(text("SVC_USAGE_SUMMARY_MONTHS"), "SVC_USAGE_SUMMARY_MONTHS", 0, 1200) ?? 37;
  return { usageLogMonths, usageRollupMonths: usageLogMonths === 0 || asked === 0 ? 0 : Math.max(asked, usageLogMonths) };
}

const onOff = ["1", "0", "off", "false"];
/** pino's. */
const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

function oneOf(text: string | null, name: string, words: readonly string[]): string | null {
  if (text !== null && !words.includes(text)) throw new Error(`${name} must be one of ${words.join(", ")}, not "${text}"`);
  return text;
}

/** Of the characters that a header carries after `Bearer`. It is not repeated: it is a secret. */
function bearerToken(text: string | null, name: string): string | null {
  if (text === null || /^[\x21-\x7e]+$/.test(text)) return text;
  throw new Error(`${name} must be printable ASCII without spaces: openssl rand -hex 24 makes one`);
}

const secretMin = 32;

/** Of enough characters that guessing is hopeless if they are random. It is not repeated. */
function longSecret(text: string | null, name: string): string | null {
  if (text === null || text.length >= secretMin) return text;
  throw new Error(`${name} must have at least ${secretMin} characters: openssl rand -hex 32 makes one`);
}

/** Of libpq's; the others may lead to a standby. */
const writingSessions = ["read-write", "primary", "any"];

/**
 * As pg takes them, or libpq with several hosts, the two forms for a socket among them. What is wrong is not repeated: it may hold a
 * password.
 */
function postgresAddress(text: string | null, name: string): string | null {
  const session = text === null ? undefined : /[?&]target_session_attrs=([^&]*)/.exec(text)?.[1];
  if (session !== undefined && !writingSessions.includes(session))
    throw new Error(`${name} asks for target_session_attrs=${session}, but the gateway writes: ${writingSessions.join(", ")}`);
  if (text === null || /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i.test(text)) return text;
  throw new Error(`${name} must be the address of a Postgres, such as postgres://user@host/database`);
}

function readTraces(text: (name: string) => string | null): TracesConfig | null {
  if (text("OTEL_SDK_DISABLED")?.toLowerCase() === "true" || text("OTEL_TRACES_EXPORTER") === "none") return null;
  const sampler = readSampler(text); // also where no collector is set: a mistake shows before the day one is
  const whole = webAddress(text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const base = webAddress(text("OTEL_EXPORTER_OTLP_ENDPOINT"), "OTEL_EXPORTER_OTLP_ENDPOINT");
  const url = whole?.href ?? (base === null ? null : `${base.href.replace(/\/$/, "")}/v1/traces`);
  if (url === null) return null;
  const protocol = text("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? text("OTEL_EXPORTER_OTLP_PROTOCOL") ?? "http/protobuf";
  if (protocol !== "http/protobuf") throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not "${protocol}"`);
  return { url, sampler };
}

const samplers = ["", "parentbased_"].flatMap((basis) => ["always_on", "always_off", "traceidratio"].map((root) => basis + root));

function readSampler(text: (name: string) => string | null): TracesConfig["sampler"] {
  const name = text("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  if (!samplers.includes(name)) throw new Error(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(", ")}, not "${name}"`);
  const ratio = Number(text("OTEL_TRACES_SAMPLER_ARG") ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1");
  return { parentBased: name.startsWith("parentbased_"), ratio: name.endsWith("always_on") ? 1 : name.endsWith("always_off") ? 0 : ratio };
}

function readStripe(text: (name: string) => string | null): StripeConfig | null {
  const secretKey = text("STRIPE_SECRET_KEY");
  const webhookSecret = text("STRIPE_WEBHOOK_SECRET");
  const apiBase = text("STRIPE_API_BASE");
  if (secretKey === null && webhookSecret === null) return null;
  if (secretKey === null) throw new Error("STRIPE_WEBHOOK_SECRET is set and STRIPE_SECRET_KEY is not: both or none");
  if (webhookSecret === null)
    throw new Error("STRIPE_SECRET_KEY is set and STRIPE_WEBHOOK_SECRET is not: payments would be taken and never credited");
  if (apiBase !== null && !/^https?:\/\/[^/?#]+\/?$/.test(apiBase))
    throw new Error(`STRIPE_API_BASE must be an http(s) address without a path, not "${apiBase}"`);
  const automaticTax = oneOf(text("STRIPE_AUTOMATIC_TAX"), "STRIPE_AUTOMATIC_TAX", onOff) === "1";
  return { secretKey, webhookSecret, apiBase, automaticTax };
}

function wholeNumber(text: string | null, name: string, min: number, max: number): number | undefined {
  if (text === null) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}

function readCaptcha(text: (name: string) => string | null): SignUpConfig["captcha"] {
  const [verifyUrl, secret, shown] = [text("SVC_CAPTCHA_VERIFY_URL"), text("SVC_CAPTCHA_SECRET"), text("SVC_CAPTCHA_WIDGET")];
  if (verifyUrl === null && secret === null && shown === null) return null;
  if (verifyUrl === null || secret === null) throw new Error("SVC_CAPTCHA_VERIFY_URL and SVC_CAPTCHA_SECRET must be set together");
  if (!URL.canParse(verifyUrl) || !/^https?:$/.test(new URL(verifyUrl).protocol))
    throw new Error("SVC_CAPTCHA_VERIFY_URL must be an address");
  const [, service, siteKey] = /^(turnstile|hcaptcha):([\w-]+)$/.exec(shown ?? "") ?? [];
  if (siteKey === undefined && shown !== null)
    throw new Error(`SVC_CAPTCHA_WIDGET must be turnstile:SITEKEY or hcaptcha:SITEKEY, not "${shown}"`);
  return { verifyUrl, secret, widget: siteKey === undefined ? null : { service: service as CaptchaWidget["service"], siteKey } };
}

function addressList(text: string | null, name: string): string[] {
  const addresses = text === null ? [] : text.split(",").map((one) => foldEmail(one.trim()));
  const wrong = addresses.find((address) => !isEmailAddress(address));
  if (wrong !== undefined)
    throw new Error(`${name} must be email addresses with commas between them, such as ada@example.com; "${wrong}" is not one`);
  return addresses;
}

function usd(text: string, name: string): Amount {
  const amount = parseUsd(text);
  if (amount === undefined || amount < 0n || amount > (parseUsd("1000") as Amount))
    throw new Error(`${name} must be USD from 0 to 1000 with at most 8 decimals, such as 0.50, not "${text}"`);
  return amount;
}

const signInVariable = /^SVC_SIGNIN_([A-Z0-9_]{1,40})_(?:CLIENT_ID|CLIENT_SECRET|ISSUER|URL|GROUPS|GROUPS_CLAIM|SCOPE)$/;

function readSignInProviders(environment: object, text: (name: string) => string | null): SignInProvider[] {
  const names = Object.keys(environment).flatMap((name) => (text(name) === null ? [] : (signInVariable.exec(name)?.[1] ?? [])));
  return [...new Set(names)].sort().map((name) => {
    const start = `SVC_SIGNIN_${name}`;
    const clientId = text(`${start}_CLIENT_ID`);
    if (clientId === null) throw new Error(`${start}_CLIENT_ID is not set, but other settings of this sign-in provider are`);
    const [clientSecret, issuer] = [text(`${start}_CLIENT_SECRET`), webAddress(text(`${start}_ISSUER`), `${start}_ISSUER`)];
    const provider = { name: name.toLowerCase().replaceAll("_", "-"), clientId, clientSecret };
    const asked = readAsked(text, start);
    if (issuer !== null) return { ...provider, speaks: { protocol: "openid", issuer, ...asked } };
    if (name !== "GITHUB" || asked.groups !== null || asked.scope !== null)
      throw new Error(`${start}_ISSUER is not set: where is the OpenID provider "${provider.name}"?`);
    if (clientSecret === null) throw new Error(`${start}_CLIENT_SECRET is not set; GitHub asks for it`);
    const site = webAddress(text(`${start}_URL`) ?? "https://github.com", `${start}_URL`) as URL;
    return { ...provider, speaks: { protocol: "github", site } };
  });
}

function webAddress(text: string | null, name: string): URL | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`${name} must be an http or https address, not "${text}"`);
  return url;
}
