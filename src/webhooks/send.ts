// Posts one delivery to its endpoint, signed as Standard Webhooks says, and gives an endpoint up that has failed for days.
import type { Config } from "../config.ts";
import { type Db, inTransaction } from "../db/connect.ts";
import { webhookIdText, workspaceIdText } from "../ids.ts";
import { callerPolicy, type ResolveName } from "../media/fetch-policy.ts";
import { postGuarded } from "../media/guarded-client.ts";
import { MediaFault } from "../media/types.ts";
import type { Claimed, Outcome } from "../notices/deliveries.ts";
import { noticeIds, writeNotice } from "../notices/notices.ts";
import { openSecret, signaturesOf } from "./secrets.ts";

interface WebhookParts {
  db: Db;
  config: Pick<Config, "allowPrivateUrls" | "webhookSecret">;
  onFault: (error: unknown, what: string) => void;
  options: WebhookOptions | undefined;
}

/** For tests: other names, another certificate. */
export interface WebhookOptions {
  resolve?: ResolveName;
  ca?: string;
}

/** For the name, the connection, the request and the answer together. */
const wholeMs = 15_000;
/** Of the answer's body, in the log of deliveries. */
const keptBytes = 1_024;
/** An endpoint that fails for so long is disabled. */
const failingDays = 5;

/** Pauses after the first attempts: ten attempts in about three days. */
export const webhookPausesMs = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1000);

interface Target {
  url: string;
  enabled: boolean;
  secret: string;
  old_secret: string | null;
  user_id: string;
}

export async function sendWebhook({ db, config, onFault, options = {} }: WebhookParts, delivery: Claimed): Promise<Outcome> {
  const { accountId, endpointId: id } = delivery;
  if (id === null) throw new Error("a delivery without an endpoint is no webhook");
  const { rows } = await db.pool.query<Target>(
    `select e.url, e.enabled, e.secret, case when e.old_until > clock_timestamp() then e.old_secret end as old_secret, a.user_id
     from webhook_endpoint e join account a on a.id = e.account_id where e.account_id = $1 and e.id = $2`,
    [accountId, id],
  );
  const target = rows[0];
  if (target === undefined || !target.enabled) return failed("The endpoint is disabled.", { final: true });
  const secrets = [target.secret, target.old_secret].flatMap((stored) =>
    stored === null ? [] : [openSecret(stored, id, config.webhookSecret)],
  );
  const outcome = await post(target, secrets, delivery, { policy: policyOf(config, options), ca: options.ca });
  // The outcome counts even where this can't be written: the next attempt writes it.
  await noteOutcome(db, { accountId, id, url: target.url, outcome }).catch((error: unknown) =>
    onFault(error, "noting a webhook's outcome"),
  );
  return outcome;
}

function policyOf({ allowPrivateUrls }: Pick<Config, "allowPrivateUrls">, { resolve }: WebhookOptions) {
  const policy = callerPolicy(allowPrivateUrls);
  return resolve === undefined ? policy : { ...policy, resolve };
}

/** The same bytes with the same id at each attempt; the time is the attempt's. */
async function post(
  { url, user_id }: Target,
  secrets: string[],
  { noticeId, event, data, noticedAt }: Claimed,
  guard: { policy: ReturnType<typeof callerPolicy>; ca: string | undefined },
): Promise<Outcome> {
  const body = JSON.stringify({ type: event, timestamp: noticedAt.toISOString(), workspace_id: workspaceIdText(user_id), data });
  const [id, at] = [noticeIds.text(noticeId), Math.floor(Date.now() / 1000)];
  const headers = {
    "content-type": "application/json",
    "user-agent": "svc-gateway/1",
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": signaturesOf(secrets, { id, at, body }),
  };
  try {
    const { status, text } = await postGuarded({ url, headers, body, wholeMs, keptBytes, ...guard });
    const response = text.replaceAll("\0", "");
    if (status >= 200 && status < 300) return { sent: true, code: status, response };
    return failed(response, { code: status, final: status === 410 });
  } catch (error) {
    if (error instanceof MediaFault) return failed(error.message, { final: false });
    throw error;
  }
}

function failed(response: string, { code = null, final }: { code?: number | null; final: boolean }): Outcome {
  return { sent: false, final, code, response };
}

interface Noted {
  accountId: bigint;
  id: string;
  url: string;
  outcome: Outcome;
}

/** 410 Gone, and failing for days, disable the endpoint; its owners are told in the same transaction. */
async function noteOutcome(db: Db, { accountId, id, url, outcome }: Noted): Promise<void> {
  if (outcome.sent) {
    const sql = "update webhook_endpoint set failing_since = null where account_id = $1 and id = $2 and failing_since is not null";
    await db.pool.query(sql, [accountId, id]);
    return;
  }
  const at = db.checks.now();
  await inTransaction(db, async (transaction) => {
    const { rows } = await transaction.pool.query<{ given_up_at: Date | null; since: Date }>(
      `update webhook_endpoint set failing_since = coalesce(failing_since, $3),
         enabled = not ($4 or coalesce(failing_since, $3) < $3::timestamptz - make_interval(days => $5)),
         given_up_at = case when $4 or failing_since < $3::timestamptz - make_interval(days => $5) then $3 end
       where account_id = $1 and id = $2 and enabled returning given_up_at, failing_since as since`,
      [accountId, id, at, outcome.code === 410, failingDays],
    );
    const row = rows[0];
    if (row === undefined || row.given_up_at === null) return;
    const data = { endpoint_id: webhookIdText(id), url, failing_since: row.since.toISOString() };
    await writeNotice(transaction, { accountId, event: "webhook.disabled", cause: `${id}:${at.toISOString()}`, data, at });
  });
}
