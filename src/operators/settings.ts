// The settings that the gateway runs with, for operators: the values in force, where they come from, and which change while it runs. Secrets are
// never shown.
import type { components } from "../../generated/api.d.ts";
import { catalogVariables } from "../catalog/load.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { usdText } from "../money.ts";
import { unnamed } from "../text/service-name.ts";
import { changeable, type ChangedSetting, fields, readChanged, settingsWith, valuesOf } from "./changed-settings.ts";

type Schemas = components["schemas"];
type Plain = Pick<Schemas["OperatorSetting"], "name" | "secret" | "value"> & { source: "env" | "default" };
type Needs = Pick<Context, "catalog" | "publicUrl"> & { environment: Config };
type Value = string | number | boolean | null;

/** The value in force; null: none. */
const shown: Record<string, (config: Config) => Value> = {
  HOST: ({ host }) => host,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  PORT: ({ port }) => port,
  STRIPE_API_BASE: ({ stripe }) => stripe?.apiBase ?? null,
  STRIPE_AUTOMATIC_TAX: ({ stripe }) => onOff(stripe?.automaticTax ?? false),
  SVC_ALLOW_PRIVATE_URLS: ({ allowPrivateUrls }) => onOff(allowPrivateUrls),
  SVC_BLOB_URL: ({ blobUrl }) => blobUrl,
  SVC_CAPTCHA_VERIFY_URL: ({ signUp }) => signUp.captcha?.verifyUrl ?? null,
  SVC_CAPTCHA_WIDGET: ({ signUp: { captcha } }) => (captcha?.widget ? `${captcha.widget.service}:${captcha.widget.siteKey}` : null),
  SVC_CATALOG: ({ catalogPath }) => catalogPath,
  SVC_CHARGE_LOG: ({ chargeLog }) => chargeLog,
  SVC_DATA_DIR: ({ dataDir }) => dataDir,
  SVC_DISPOSABLE_DOMAINS: ({ signUp }) => `${signUp.disposable.size} domains`,
  SVC_DNS_SERVERS: ({ nameServers }) => nameServers.join(", ") || null,
  SVC_INVOICE_SELLER: ({ invoiceSeller }) => invoiceSeller?.join("|") ?? null,
  SVC_LEDGER_HEAD_FILE: ({ ledgerHeadFile }) => ledgerHeadFile,
  SVC_LOGO: ({ service }) => service.logo && `${service.logo.type}, ${service.logo.bytes.length} bytes`,
  SVC_MAIL_FROM: ({ mailFrom }) => mailFrom,
  SVC_NAME: ({ service }) => service.name ?? unnamed,
  SVC_NOTICE: ({ notice }) => notice,
  SVC_OPERATORS: ({ operators }) => operators.join(", ") || null,
  SVC_OPERATORS_TOTP: ({ operatorsNeedCode }) => (operatorsNeedCode ? "required" : null),
  SVC_PUBLIC_URL: ({ publicUrl }) => publicUrl,
  SVC_SIGNUP: ({ signUp }) => signUp.mode,
  SVC_SIGNUP_CREDIT: ({ signUp }) => usdText(signUp.credit),
  SVC_SIGNUP_DOMAINS: ({ signUp }) => signUp.domains?.join(", ") ?? null,
  SVC_SUSPEND_ON_DISPUTE: ({ suspendOnDispute }) => onOff(suspendOnDispute),
  SVC_TRUSTED_PROXIES: ({ trustedProxies }) => trustedProxies,
  SVC_USAGE_LOG_MONTHS: ({ usageLogMonths }) => usageLogMonths,
  SVC_USAGE_SUMMARY_MONTHS: ({ usageRollupMonths }) => usageRollupMonths,
  SVC_WORKERS: ({ workers }) => workers,
};

/** Read by OpenTelemetry's packages beside the gateway: shown as the environment has them. */
const tracing = [
  ...[
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
  ],
  ...["OTEL_RESOURCE_ATTRIBUTES", "OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME"],
  ...["OTEL_TRACES_EXPORTER", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"],
];

/** Addresses of the database and the mail server hold passwords. */
const secret = [
  ...["DATABASE_DIRECT_URL", "DATABASE_URL", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "SMTP_URL"],
  ...["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "SVC_CAPTCHA_SECRET"],
  ...["SVC_METRICS_TOKEN", "SVC_RECEIPT_SECRET", "SVC_RESPONSES_SECRET", "SVC_WEBHOOK_SECRET"],
];

export async function settingList(db: Queries, needs: Needs): Promise<Schemas["OperatorSettingList"]> {
  const changed = await readChanged(db);
  return { object: "list", data: listSettings(needs, changed), changeable: valuesOf(needs.environment, changed) };
}

export function listSettings(needs: Needs, changed: readonly ChangedSetting[]): Schemas["OperatorSetting"][] {
  const inForce = new Map(
    plainSettings({ ...needs, environment: settingsWith(needs.environment, changed) }).map(({ name, value }) => [name, value]),
  );
  const fieldOf = new Map<string, string>(fields.map((field) => [changeable[field].variable, field]));
  return plainSettings(needs).map(({ name, source, secret, value }) => {
    const field = fieldOf.get(name) ?? null;
    const by = changed.find((one) => one.field === field);
    return {
      ...{ name, source: by === undefined ? source : ("operator" as const), secret, value: inForce.get(name) ?? null, field },
      ...{ environment_value: value, changed_at: by?.changedAt.toISOString() ?? null, changed_by: by?.changedBy ?? null },
    };
  });
}

function plainSettings({ environment: config, catalog, publicUrl }: Needs): Plain[] {
  const { environment } = config;
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const setting = (name: string, value: Value): Plain => ({
    ...{ name, source: isSet(name) ? ("env" as const) : ("default" as const), secret: false },
    value: value === null ? null : withoutPassword(String(value)),
  });
  const hidden = (name: string): Plain => ({ name, source: isSet(name) ? "env" : "default", secret: true, value: null });
  const found = [
    ...Object.entries(shown).map(([name, valueOf]) => setting(name, valueOf({ ...config, publicUrl }))),
    ...tracing.map((name) => setting(name, environment[name]?.trim() || null)),
    ...signInSettings(config, setting, hidden),
    ...[...new Set([...secret, ...catalogVariables(catalog)])].map(hidden),
  ];
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function signInSettings(
  { signInProviders }: Config,
  setting: (name: string, value: Value) => Plain,
  hidden: (name: string) => Plain,
): Plain[] {
  return signInProviders.flatMap(({ name, clientId, speaks }) => {
    const start = `SVC_SIGNIN_${name.toUpperCase().replaceAll("-", "_")}`;
    const at = speaks.protocol === "github" ? setting(`${start}_URL`, speaks.site.href) : setting(`${start}_ISSUER`, speaks.issuer.href);
    return [setting(`${start}_CLIENT_ID`, clientId), hidden(`${start}_CLIENT_SECRET`), at, ...groupSettings(start, speaks, setting)];
  });
}

function groupSettings(start: string, speaks: Config["signInProviders"][number]["speaks"], setting: (name: string, value: Value) => Plain) {
  if (speaks.protocol !== "openid") return [];
  const rules = speaks.groups?.rules.map(({ group, workspace, role }) => `${group}=${workspace}:${role}`).join(",") ?? null;
  return [
    setting(`${start}_GROUPS`, rules),
    setting(`${start}_GROUPS_CLAIM`, speaks.groups?.claim ?? null),
    setting(`${start}_SCOPE`, speaks.scope),
  ];
}

function onOff(value: boolean): string {
  return value ? "on" : "off";
}

const textMax = 2_000;

/** Of an address. */
function withoutPassword(text: string): string {
  return text.slice(0, textMax).replaceAll(/\/\/[^/?#\s]*@/g, "//");
}
