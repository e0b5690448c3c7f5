// Endpoints of a workspace: created, listed, changed and deleted. Their addresses are checked here by form and by name, and again whenever
// something is posted to them.
import type { components } from "../../generated/api.d.ts";
import { type Actor, lockAsManager } from "../accounts/members.ts";
import { withTimeout } from "../clock.ts";
import type { Config } from "../config.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { parseWebhookId, uuidv7, webhookIdText } from "../ids.ts";
import { callerPolicy } from "../media/fetch-policy.ts";
import { hostOf, readSourceAddress } from "../network/address.ts";
import { makeSecret, sealSecret } from "./secrets.ts";

type Endpoint = components["schemas"]["WebhookEndpoint"];
type NewEndpoint = components["schemas"]["WebhookRequest"];
type Change = components["schemas"]["WebhookChange"];
type Settings = Pick<Config, "allowPrivateUrls" | "webhookSecret">;

const endpointsMax = 10;
const urlCharsMax = 2_048;
const resolveMs = 2_000;

interface Row {
  id: string;
  url: string;
  description: string | null;
  events: Endpoint["events"];
  enabled: boolean;
  failing_since: Date | null;
  given_up_at: Date | null;
  old_until: Date | null;
  created_at: Date;
}

const columns = "id, url, description, events, enabled, failing_since, given_up_at, old_until, created_at";

/** A UUID; 404 for a text that is no id of an endpoint. */
export function endpointId(text: string): string {
  return parseWebhookId(text) ?? fail("webhook_not_found");
}

export async function createEndpoint(db: Db, settings: Settings, actor: Actor, asked: NewEndpoint, at: Date) {
  const { accountId } = actor;
  const url = await readUrl(asked.url, settings);
  const [id, secret] = [uuidv7(at), makeSecret()];
  return inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor); // the count is exact then, too
    const { pool } = transaction;
    const { rows } = await pool.query<{ held: number }>("select count(*)::int as held from webhook_endpoint where account_id = $1", [
      accountId,
    ]);
    if (rows[0]!.held >= endpointsMax)
      fail("permission_denied", { text: { reason: `a workspace can have at most ${endpointsMax} endpoints` } });
    const stored = sealSecret(secret, id, settings.webhookSecret);
    const made = await pool.query<Row>(
      `insert into webhook_endpoint (account_id, id, url, description, events, secret, created_at) values ($1, $2, $3, $4, $5, $6, $7)
       returning ${columns}`,
      [accountId, id, url, asked.description ?? null, eventsOf(asked.events), stored, at],
    );
    return { ...shown(made.rows[0]!), secret };
  });
}

/** The oldest first. */
export async function listEndpoints({ pool }: Queries, accountId: bigint): Promise<Endpoint[]> {
  const sql = `select ${columns} from webhook_endpoint where account_id = $1 order by id limit ${endpointsMax}`;
  return (await pool.query<Row>(sql, [accountId])).rows.map(shown);
}

export async function readEndpoint({ pool }: Queries, accountId: bigint, id: string): Promise<Endpoint> {
  const { rows } = await pool.query<Row>(`select ${columns} from webhook_endpoint where account_id = $1 and id = $2`, [accountId, id]);
  return shown(rows[0] ?? fail("webhook_not_found"));
}

/** Enabled again, it has failed for no time. */
export async function changeEndpoint(db: Db, settings: Settings, actor: Actor, id: string, change: Change): Promise<Endpoint> {
  const url = change.url === undefined ? null : await readUrl(change.url, settings);
  return changed(
    db,
    actor,
    `update webhook_endpoint set url = coalesce($3, url),
       description = case when $4 then $5 else description end, events = case when $6 then $7 else events end,
       enabled = coalesce($8, enabled), failing_since = case when $8 or $3 is not null then null else failing_since end,
       given_up_at = case when $8 then null else given_up_at end
     where account_id = $1 and id = $2 returning ${columns}`,
    [
      ...[id, url, change.description !== undefined, change.description ?? null],
      ...[change.events !== undefined, eventsOf(change.events), change.enabled ?? null],
    ],
  );
}

/** Its deliveries go with it. */
export async function deleteEndpoint(db: Db, actor: Actor, id: string): Promise<void> {
  await changed(db, actor, `delete from webhook_endpoint where account_id = $1 and id = $2 returning ${columns}`, [id]);
}

interface Roll {
  graceSeconds: number;
  at: Date;
}

/** The secret of before signs as well for so many seconds; the one before that no longer does. */
export async function rollSecret(db: Db, { webhookSecret }: Settings, actor: Actor, id: string, { graceSeconds, at }: Roll) {
  const secret = makeSecret();
  const until = graceSeconds === 0 ? null : new Date(at.getTime() + graceSeconds * 1000);
  const endpoint = await changed(
    db,
    actor,
    `update webhook_endpoint set old_secret = case when $4::timestamptz is not null then secret end, old_until = $4, secret = $3
     where account_id = $1 and id = $2 returning ${columns}`,
    [id, sealSecret(secret, id, webhookSecret), until],
  );
  return { ...endpoint, secret };
}

/** By a statement with the account as $1. */
function changed(db: Db, actor: Actor, sql: string, values: unknown[]): Promise<Endpoint> {
  return inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor);
    const { rows } = await transaction.pool.query<Row>(sql, [actor.accountId, ...values]);
    return shown(rows[0] ?? fail("webhook_not_found"));
  });
}

/** Empty and absent: all. */
function eventsOf(events: NewEndpoint["events"]): string[] | null {
  return events == null || events.length === 0 ? null : [...new Set(events)];
}

/** A name that can't be resolved now may be later; one that leads to a private network only is refused. */
async function readUrl(text: string, { allowPrivateUrls }: Settings): Promise<string> {
  const href = readSourceAddress(text, "url", { allowPrivateUrls });
  if (href.length > urlCharsMax) failParameter("url", `it must have at most ${urlCharsMax} characters`);
  const policy = callerPolicy(allowPrivateUrls);
  const found = await withTimeout(resolveMs, policy.resolve(hostOf(new URL(href))), () => []).catch(() => []);
  if (found.length > 0 && !found.some(({ address }) => policy.allows(address))) failParameter("url", "it must name a public host");
  return href;
}

function shown({ id, url, description, events, enabled, failing_since, given_up_at, old_until, created_at }: Row): Endpoint {
  const time = (date: Date | null) => date?.toISOString() ?? null;
  return {
    ...{ id: webhookIdText(id), object: "webhook_endpoint", url, description, events, enabled },
    ...{ failing_since: time(failing_since), disabled_at: time(given_up_at), previous_secret_until: time(old_until) },
    created_at: created_at.toISOString(),
  };
}
