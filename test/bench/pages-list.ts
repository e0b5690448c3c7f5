// What bench:pages asks: each operation that reads, as the console's pages and clients ask it, with what makes it read much. pages-list.test.ts holds
// the list against the contract.
import type { OperationId } from "../../generated/operations.ts";

/** Of the filled database. */
export interface Known {
  /** Ids as callers write them: the account that asks, one that makes calls now and then, and one that never made one. */
  busy: string;
  usual: string;
  idle: string;
  /** The asking account's key with the most calls. */
  key: string;
  /** A call of the asking account and one of another, by their request ids. */
  request: string;
  other: string;
  job: string;
  genmediaJob: string;
  voucher: string;
  topup: string;
  file: string;
  batch: string;
  webhook: string;
  conversation: string;
  item: string;
}

export const leftOut: Partial<Record<OperationId, string>> = {
  exportAccount: "a download that a person may ask for twice a minute, sent as it is read",
  getFileContent: "the bytes of a file",
  getResponse: "one row by its key, and no model answers here",
  listResponseInputItems: "the same row",
  listVoices: "it asks the providers, and none answers here",
};

const dayMs = 24 * 60 * 60_000;
const ago = (days: number) => encodeURIComponent(new Date(Date.now() - days * dayMs).toISOString());
const under = (path: string, ...rests: string[]) => rests.map((rest) => path + rest);

export const questions: Partial<Record<OperationId, (known: Known) => string[]>> = {
  ...account(),
  ...money(),
  ...workspace(),
  ...calls(),
  ...catalog(),
  ...operators(),
  ...operatorsCalls(),
};

function account(): typeof questions {
  return {
    getSession: () => ["/v1/auth/session"],
    listSessions: () => ["/v1/auth/sessions?limit=100"],
    getTotp: () => ["/v1/auth/totp"],
    getAuthOptions: () => ["/v1/auth/options"],
    listApiKeys: () => ["/v1/auth/keys"],
    getApiKeyUsage: ({ key }) => [`/v1/auth/keys/${key}/usage`],
    getLimits: () => ["/v1/auth/limits"],
    listWorkspaces: () => ["/v1/workspaces"],
  };
}

function money(): typeof questions {
  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
  const monthBefore = (back: number) => new Date(Date.UTC(year, month - back)).toISOString().slice(0, 7);
  return {
    getCreditBalance: () => ["/v1/credits/balance"],
    listLedgerEntries: () => under("/v1/credits/ledger", "?limit=200", "?type=purchase", "?type=refund", "?type=usage&limit=200"),
    listCreditGrants: () => ["/v1/credits/grants"],
    getAutoTopup: () => ["/v1/credits/auto-topup"],
    getTopup: ({ topup }) => [`/v1/credits/topup/${topup}`],
    listStatements: () => ["/v1/credits/statements"],
    getStatement: () => under("/v1/credits/statements/", monthBefore(1), monthBefore(0)),
    getLegacyPricing: () => ["/v1/credits/pricing"],
  };
}

function workspace(): typeof questions {
  return {
    getWorkspace: () => ["/v1/workspace"],
    listMembers: () => ["/v1/workspace/members?limit=100"],
    listInvitations: () => ["/v1/workspace/invitations"],
    listDomains: () => ["/v1/workspace/domains"],
    getNotices: () => ["/v1/workspace/notices"],
    listNotices: () => ["/v1/workspace/notices/log?limit=100"],
    listWebhooks: () => ["/v1/workspace/webhooks"],
    getWebhook: ({ webhook }) => [`/v1/workspace/webhooks/${webhook}`],
    listWebhookDeliveries: ({ webhook }) => [`/v1/workspace/webhooks/${webhook}/deliveries?limit=100`],
  };
}

function calls(): typeof questions {
  const grouped = ["model", "key", "member", "operation", "status", "tag"].map((group) => `?from=${ago(30)}&bucket=day&group_by=${group}`);
  return {
    listUsageLogs: ({ key }) => [
      ...under("/v1/auth/usage/logs", "", "?status=failed&limit=200", "?type=embedding&limit=200", "?type=video", `?key=${key}&limit=200`),
      ...under(
        "/v1/auth/usage/logs",
        "?tag=project:p-7&limit=200",
        "?tag=project:none",
        "?model=none/such",
        `?from=${ago(200)}&to=${ago(199)}`,
      ),
    ],
    getUsageSummary: ({ key }) => [
      ...under("/v1/usage/summary", `?from=${ago(1)}&bucket=hour`, `?from=${ago(7)}&bucket=day`, ...grouped),
      ...under("/v1/usage/summary", `?from=${ago(30)}&bucket=day&group_by=model,key,status`, `?from=${ago(30)}&bucket=day&key=${key}`),
      ...under(
        "/v1/usage/summary",
        `?from=${ago(390)}&bucket=month&group_by=model&timezone=Europe/Berlin`,
        `?from=${ago(30)}&bucket=hour&timezone=Asia/Kolkata`,
      ),
    ],
    getReceipt: ({ request }) => [`/v1/usage/${request}`],
    getReceiptProof: ({ request }) => under(`/v1/usage/${request}/proof`, "", "?chain=true"),
    listJobs: () => under("/v1/jobs", "?limit=100", "?status=failed", "?status=queued", "?model=none/such", "?kind=video"),
    getJob: ({ job }) => [`/v1/jobs/${job}`],
    getGenmediaJob: ({ genmediaJob }) => [`/v1/genmedia/jobs/${genmediaJob}`],
    listFiles: () => under("/v1/files", "?limit=1000", "?purpose=batch_output"),
    getFile: ({ file }) => [`/v1/files/${file}`],
    listBatches: () => ["/v1/batches?limit=100"],
    getBatch: ({ batch }) => [`/v1/batches/${batch}`],
    getConversation: ({ conversation }) => [`/v1/conversations/${conversation}`],
    listConversationItems: ({ conversation }) => [`/v1/conversations/${conversation}/items?limit=100`],
    getConversationItem: ({ conversation, item }) => [`/v1/conversations/${conversation}/items/${item}`],
  };
}

function catalog(): typeof questions {
  return {
    listModels: () => ["/v1/models"],
    getModel: () => ["/v1/models/best"],
    recommendModels: () => ["/v1/models/recommend?use_case=chat"],
    getPricing: () => ["/v1/pricing"],
    listPriceChanges: () => under("/v1/pricing/history", "?limit=100", "?model=maker/model-7"),
    listTiers: () => ["/v1/limits/tiers"],
    listErrors: () => ["/v1/errors"],
  };
}

function operators(): typeof questions {
  const of = (folder: string, ...rests: string[]) => under(`/v1/operator/${folder}`, ...rests);
  const search = (text: string) => `?email=${encodeURIComponent(text)}`;
  return {
    getOperator: () => of("me", ""),
    getOperatorOverview: () => of("overview", "", `?from=${ago(7)}`, `?from=${ago(30)}`),
    listProviders: () => of("providers", ""),
    listOperatorSettings: () => of("settings", ""),
    getOperatorCatalog: () => of("catalog", ""),
    listCatalogVersions: () => of("catalog/versions", ""),
    getOperatorLedger: () => of("ledger", ""),
    listOperators: () => of("operators", ""),
    listOperatorAccounts: ({ busy }) => [
      ...of("accounts", "", "?limit=100", "?status=suspended", "?status=active", `?id=${busy}`),
      ...of("accounts", search("person-77"), search("9999@example.com"), search("Example.org"), search("nobody at all"), search("zq")),
    ],
    getOperatorAccount: ({ busy, usual, idle }) => of("accounts/", busy, usual, idle),
    listAccountLedger: ({ busy, usual }) => [...of(`accounts/${busy}/ledger`, "", "?type=refund"), ...of(`accounts/${usual}/ledger`, "")],
    listOperatorActions: ({ usual }) => [
      ...of(
        "audit",
        "?limit=1000",
        "?action=operator.remove",
        "?action=none.such",
        `?target=${usual}`,
        "?who=svc",
        "?who=operator-7@example.com",
      ),
      ...of("audit", `?from=${ago(200)}&to=${ago(199)}`),
    ],
    listVouchers: ({ busy }) => of("vouchers", "", "?status=redeemed", "?status=ended", "?status=expired", "?batch=3", `?account=${busy}`),
    getVoucher: ({ voucher }) => of("vouchers/", voucher),
    listOperatorJobs: ({ busy }) => [
      ...of(
        "jobs",
        "",
        "?status=failed",
        "?status=queued",
        "?status=expired",
        "?kind=video",
        "?model=none/such",
        `?account=${busy}&status=failed`,
      ),
      ...of("jobs", `?from=${ago(200)}&to=${ago(199)}`),
    ],
    getOperatorJob: ({ job }) => of("jobs/", job),
  };
}

function operatorsCalls(): typeof questions {
  const groups = ["account", "key", "model", "operation", "provider", "route", "status", "tag"];
  const summary = (...rests: string[]) => under("/v1/operator/usage/summary", ...rests);
  return {
    getOperatorUsageSummary: ({ busy }) => [
      ...summary(
        `?from=${ago(1)}&bucket=hour`,
        `?from=${ago(7)}&bucket=day`,
        `?from=${ago(30)}&bucket=day`,
        `?from=${ago(390)}&bucket=month`,
      ),
      ...[30, 90, 390].flatMap((days) =>
        ["account", "key", "model"].map(
          (group) => `/v1/operator/usage/summary?from=${ago(days)}&bucket=all&order=cost&limit=50&group_by=${group}`,
        ),
      ),
      ...[1, 7, 30].flatMap((days) => groups.map((group) => `/v1/operator/usage/summary?from=${ago(days)}&bucket=month&group_by=${group}`)),
      ...summary(`?from=${ago(390)}&bucket=month&group_by=model`, `?from=${ago(390)}&bucket=month&group_by=account`),
      ...summary(`?from=${ago(30)}&bucket=day&account=${busy}&group_by=model`, `?from=${ago(30)}&bucket=day&group_by=account`),
    ],
    listOperatorCalls: ({ busy, usual, idle, other }) => [
      ...under(
        "/v1/operator/calls",
        "?limit=100",
        "?status=failed",
        "?model=none/such",
        `?request_id=${other}`,
        `?from=${ago(200)}&to=${ago(199)}`,
      ),
      ...under("/v1/operator/calls", `?account=${busy}`, `?account=${usual}`, `?account=${idle}`, `?account=${busy}&status=failed`),
    ],
    getOperatorCall: ({ other }) => [`/v1/operator/calls/${other}`],
  };
}
