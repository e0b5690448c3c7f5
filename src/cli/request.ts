// `svc request show`: the receipt of one call, with what only the operator may know about the providers.
import { receiptOf } from "../../handlers/get-receipt.ts";
import { findAccount, Refused } from "../accounts/admin.ts";
import type { Db } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { type LogRow, readAnyLog, readLog } from "../ledger/read-usage-log.ts";
import { operatorsAttempt } from "../operators/calls.ts";
import { readAccount } from "./arguments.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export async function show({ config, words, options }: Input): Promise<Outcome> {
  const requestId = words[0]!;
  return withDatabase(config, async (db) => {
    const row = await findRequest(db, requestId, options.account);
    const [receipt, account] = await Promise.all([receiptOf(db, row), findAccount(db, accountIdText(row.account_id))]);
    const attempts = row.attempts.map(operatorsAttempt);
    const json = { ...receipt, account_id: accountIdText(row.account_id), email: account!.email, attempts };
    return { json, text: textOf(json, row) };
  });
}

/** `account`: whose request, if several accounts sent the same id; else the newest. */
export async function findRequest(db: Db, requestId: string, account: string | boolean | undefined): Promise<LogRow> {
  const row =
    typeof account === "string"
      ? await readLog(db, (await readAccount(db, account)).accountId, requestId)
      : await readAnyLog(db, requestId);
  if (row !== undefined) return row;
  throw new Refused(`no such request: ${requestId} (a call is logged when it ends, and only if it was admitted to a model)`);
}

interface Shown extends Omit<Awaited<ReturnType<typeof receiptOf>>, "attempts"> {
  account_id: string;
  email: string;
  attempts: ReturnType<typeof operatorsAttempt>[];
}

function textOf({ log, account_id, email, attempts, usage, charge, ledger }: Shown, { prices }: LogRow): string {
  const served = log.served_model === null ? "" : `, served by ${log.served_model}`;
  const ended = log.error === null ? log.status : `${log.status}, ${log.error.code}: ${log.error.message}`;
  const { input, cache_read, cache_write, output, reasoning, web_searches, web_fetches, estimated } = usage;
  const searches = web_searches === undefined ? "" : `, web searches ${web_searches}`;
  const fetches = web_fetches === undefined ? "" : `, web fetches ${web_fetches}`;
  const tokens = `input ${input}, cache read ${cache_read}, cache write ${cache_write}, output ${output}, of it reasoning ${reasoning}${searches}${fetches}`;
  const counted = log.unit === "token" ? `${tokens}${estimated ? " (counted here)" : ""}` : `${log.units} ${log.unit}`;
  return [
    `${log.request_id} ${log.created_at} ${log.endpoint} ${log.http_status}, ${log.latency_ms} ms, ${ended}`,
    `  account ${account_id} ${email}, key ${log.key ?? "none (a session)"}`,
    `  model ${log.model}${served}, prices of ${prices.model}`,
    ...attempts.flatMap(({ choice }) => (choice === undefined ? [] : `  ${choiceLine(choice)}`)),
    ...attempts.map((attempt) => `  ${attemptLine(attempt)}`),
    `  usage ${counted}`,
    ...charge.lines.map(
      ({ item, quantity, unit_price_usd, amount_usd }) => `  ${item} ${quantity} at ${unit_price_usd} is ${amount_usd} USD`,
    ),
    `  reserved ${charge.reserved_usd} USD, charged ${charge.cost_usd}`,
    ...ledger.map(({ id, type, amount_usd, balance_after }) => `  ${id} ${type} ${amount_usd} USD, balance then ${balance_after}`),
  ].join("\n");
}

function choiceLine({ by, first, routes }: NonNullable<Shown["attempts"][number]["choice"]>): string {
  const isScored = by === "price" || by === "latency" || by === "throughput";
  const rules = first === undefined ? by : `${first}, then ${by}`;
  return `routes by ${rules}: ${routes.map(({ route, score }) => (isScored ? `${route} ${score ?? "unknown"}` : route)).join(", ")}`;
}

function attemptLine({ route, outcome, status, latency_ms, response_id, cause, detail, cost }: Shown["attempts"][number]): string {
  const why = [cause, detail].filter((part) => part !== null).join(": ");
  const answered = status === null ? "" : `, status ${status}`;
  const id = response_id === null ? "" : `, id ${response_id}`;
  const costs = cost === null ? "" : `, costs you ${cost} USD`;
  return `${route}: ${outcome}${why === "" ? answered : `, ${why}`}, ${latency_ms} ms${id}${costs}`;
}
