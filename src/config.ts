// The environment (OPERATOR.md "Start"), read once. No other file reads process.env, but for provider keys
// that the catalog names (src/catalog/load.ts gets the environment handed in).

export interface Config {
  host: string;
  port: number;
  /** Null: the embedded database under dataDir. */
  databaseUrl: string | null;
  /** Bypasses a transaction pooler, for LISTEN; null: the same as databaseUrl. */
  databaseDirectUrl: string | null;
  dataDir: string;
  /** Null: the shipped catalog, served by the simulator. */
  catalogPath: string | null;
  /** The address put into doc_url and topup_url; null: http://HOST:PORT. */
  publicUrl: string | null;
  allowPrivateUrls: boolean;
  smtpUrl: string | null;
  /** Sender of mails. */
  mailFrom: string;
  workers: number;
  /** Proxies in front whose X-Forwarded-For is believed; 0: the client is whoever connects. */
  trustedProxies: number;
  logLevel: string;
  /** For the secrets of providers, by the names the catalog gives. */
  environment: Record<string, string | undefined>;
}

export function readConfig(environment: Record<string, string | undefined>): Config {
  const text = (name: string) => environment[name]?.trim() || null;
  return {
    host: text("HOST") ?? "127.0.0.1",
    port: wholeNumber(text("PORT"), "PORT", 0, 65_535) ?? 8787,
    databaseUrl: text("DATABASE_URL"),
    databaseDirectUrl: text("DATABASE_DIRECT_URL"),
    dataDir: text("SVC_DATA_DIR") ?? ".svc",
    catalogPath: text("SVC_CATALOG"),
    publicUrl: text("SVC_PUBLIC_URL")?.replace(/\/+$/, "") ?? null,
    allowPrivateUrls: text("SVC_ALLOW_PRIVATE_URLS") === "1",
    smtpUrl: text("SMTP_URL"),
    mailFrom: text("SVC_MAIL_FROM") ?? "gateway@localhost",
    workers: wholeNumber(text("SVC_WORKERS"), "SVC_WORKERS", 1, 256) ?? 1,
    trustedProxies: wholeNumber(text("SVC_TRUSTED_PROXIES"), "SVC_TRUSTED_PROXIES", 0, 16) ?? 0,
    logLevel: text("LOG_LEVEL") ?? "info",
    environment,
  };
}

function wholeNumber(text: string | null, name: string, min: number, max: number): number | undefined {
  if (text === null) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}
