// Whatever a guide names exists: fields, codes, headers, paths, settings, commands. What the operator can set and call, the operator's guide
// names in full.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { guideNames, readGuide } from "./guide-blocks.ts";
import * as known from "./known-names.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Names that stand in no contract, each with where it comes from. */
const elsewhere: Record<string, string> = {
  custom_id: "a line of a batch's file",
  status_code: "a line of a batch's file",
  batch_cancelled: "a line of a batch's file",
  batch_expired: "a line of a batch's file",
  always_on: "a sampler of OpenTelemetry",
  always_off: "a sampler of OpenTelemetry",
  parentbased_always_on: "a sampler of OpenTelemetry",
  our_fault: "an outcome in the metrics",
  media_expense: "a table",
  async_payment_succeeded: "an event of Stripe",
  async_payment_failed: "an event of Stripe",
  connection_failed: "a code of svc-sdk",
  max_connections: "a setting of Postgres",
  led_3: "a ledger entry's id",
  funds_withdrawn: "an event of Stripe",
  payment_intent: "an event of Stripe",
  funds_reinstated: "an event of Stripe",
  threshold_usd: "a field of a notice",
  key_id: "a field of a notice",
  key_name: "a field of a notice",
  member_id: "a field of a notice",
  period_ends: "a field of a notice",
  topup_id: "a field of a notice",
  disputed_usd: "a field of a notice",
  auto_topup_off: "a field of a notice",
  signed_in_at: "a field of a notice",
  used_at: "a field of a notice",
  endpoint_id: "a field of a notice",
  workspace_id: "a field of a notice",
  expires_after: "how OpenAI's SDKs name the two fields of a form",
  percent: "a field of a notice",
  keepalive_requests: "a setting of nginx",
  revenue_without_cost: "a column of svc report margin",
  synchronous_standby_names: "a setting of Postgres",
  wal_keep_size: "a setting of Postgres",
  pg_stat_activity: "a view of Postgres",
  process_resident_memory_bytes: "a metric of Node's client of Prometheus",
  check_embedding_ctx_length: "a setting of LangChain for Python",
  stream_usage: "a setting of LangChain for Python",
  is_chat_model: "a setting of LlamaIndex",
};

/** The words that are set as code in the prose. */
function codeWords(page: string): string[] {
  const prose = page.replace(/^```.*?^```$/gms, "").replace(/^<!--.*-->$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word!);
}

const unknown = (names: Iterable<string>, exists: (name: string) => boolean) => [...new Set(names)].filter((name) => !exists(name));
const matches = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, name]) => name!);

describe.each(guideNames)("%s", (guide) => {
  const page = readGuide(guide);

  test("words that look like fields or codes", () => {
    const snake = codeWords(page)
      .flatMap((word) => word.split(/[.\s:=,]+/))
      .filter((word) => /^[a-z]+(_[a-z0-9]+)+(\[\d*\])?$/.test(word))
      .map((word) => word.replace(/\[\d*\]$/, ""));
    expect(
      unknown(snake, (word) => known.contractWords.has(word) || known.figures.has(word) || known.causes.has(word) || word in elsewhere),
    ).toEqual([]);
  });

  test("codes that it links", () => {
    expect(unknown(matches(page, /\/docs\/errors#(\w+)/g), (code) => known.errorCodes.has(code) || code === "CODE")).toEqual([]);
  });

  test("headers", () => {
    const named = matches(page, /\b(x-[a-z][a-z-]*[a-z]|retry-after(?:-ms)?|idempotency-key)\b/gi).map((name) => name.toLowerCase());
    // Given to SDKs, to the server behind proxies, and the beginning of a family.
    const others = ["x-api-key", "x-forwarded-for", "x-svc"];
    expect(unknown(named, (name) => known.headers.has(name) || others.includes(name))).toEqual([]);
  });

  test("paths", () => {
    const named = matches(page, /(\/v1\/[\w/{}$.%-]*\w\}?)/g).map((path) => path.replace(/\{\w+\}|\$\w+|THE_\w+/g, "{}"));
    expect(unknown(named, (path) => known.paths.has(path) || known.paths.has(path.replace(/\/[^/]+$/, "/{}")))).toEqual([]);
  });

  test("settings", () => {
    const others = ["SVC_URL", "SVC_KEY"]; // of the samples
    const named = matches(page, /\b(SVC_[A-Z_]*[A-Z]|DATABASE_\w+|STRIPE_\w+|SMTP_\w+)\b/g);
    expect(unknown(named, (name) => known.settings.has(name) || others.includes(name) || name.startsWith("SVC_SIGNIN_"))).toEqual([]);
  });

  test("commands, their options, scripts and files", () => {
    const named = matches(
      page,
      /\bsvc ((?:start|migrate|backup|restore|simulate|account|key|session|request|provider|job|ledger|catalog)(?: [a-z]+)?)\b/g,
    );
    const exists = (name: string) => known.commandNames.has(name) || known.commandNames.has(name.split(" ")[0]!);
    expect(unknown(named, exists)).toEqual([]);
    const options = page.split("\n").flatMap((line) => (/\bsvc /.test(line) ? matches(line, /--([a-z-]+)/g) : []));
    expect(unknown(options, (name) => known.commandOptions.has(name))).toEqual([]);
    expect(unknown(matches(page, /npm run ([\w:]+)/g), (name) => known.scripts.has(name))).toEqual([]);
    const files = matches(page, /`((?:src|spec|test|generated|handlers|bin)\/[\w./-]+)`/g);
    expect(unknown(files, (file) => existsSync(root + file))).toEqual([]);
  });
});

test("the operator's guide names every setting and every command", () => {
  const page = readGuide("operator");
  expect([...known.settings].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const table = page.split("\n").filter((line) => line.startsWith("| `"));
  const words = table.flatMap((line) => matches(line.split(" | ")[0]!, /`([^`]+)`/g));
  const stands = (name: string) => words.some((word) => word === name || word.startsWith(`${name} `));
  expect([...known.commandNames].filter((name) => !stands(name))).toEqual([]);
});

test("the operator's guide explains every cause, those of a status by some", () => {
  const page = readGuide("operator");
  expect([...known.causes].filter((cause) => !/^http_\d/.test(cause) && !page.includes(`\`${cause}\``))).toEqual([]);
});
