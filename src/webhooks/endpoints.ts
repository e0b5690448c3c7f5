// Endpoints of a workspace: created, listed, changed and deleted. Their addresses are checked here by form and by name, and again whenever
// something is posted to them.
import type { components } from "../../generated/api.d.ts";
import { lockAccountRow } from "../accounts/users.ts";
import { withTimeout } from "../clock.ts";
import type { Config } from "../config.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { uuidIds, uuidv7 } from "../ids.ts";
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

const ids = uuidIds("whk_");

/** A UUID; 404 for a text that is no id of an endpoint. */
export function endpointId(text: string): string {
  return ids.parse(text) ?? fail("webhook_not_found");
}

export const endpointIdText = ids.text;

export async function createEndpoint(db: Db, settings: Settings, accountId: bigint, asked: NewEndpoint, at: Date) {
  const url = await readUrl(asked.url, settings);
  const [id, secret] = [uuidv7(at), makeSecret()];
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, accountId); // so that the count is exact
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
export async function changeEndpoint({ pool }: Db, settings: Settings, accountId: bigint, id: string, change: Change): Promise<Endpoint> {
  const url = change.url === undefined ? null : await readUrl(change.url, settings);
  const { rows } = await pool.query<Row>(
    `update webhook_endpoint set url = coalesce($3, url),
       description = case when $4 then $5 else description end, events = case when $6 then $7 else events end,
       enabled = coalesce($8, enabled), failing_since = case when $8 or $3 is not null then null else failing_since end,
       given_up_at = case when $8 then null else given_up_at end
     where account_id = $1 and id = $2 returning ${columns}`,
    [
      ...[accountId, id, url, change.description !== undefined, change.description ?? null],
      ...[change.events !== undefined, eventsOf(change.events), change.enabled ?? null],
    ],
  );
  return shown(rows[0] ?? fail("webhook_not_found"));
}

/** Its deliveries go with it. */
export async function deleteEndpoint({ pool }: Db, accountId: bigint, id: string): Promise<void> {
  const { rowCount } = await pool.query("delete from webhook_endpoint where account_id = $1 and id = $2", [accountId, id]);
  if (rowCount === 0) fail("webhook_not_found");
}

/** The secret of before signs as well for so many seconds; the one before that no longer does. */
export async function rollSecret({ pool }: Db, { webhookSecret }: Settings, accountId: bigint, id: string, graceSeconds: number, at: Date) {
  const secret = makeSecret();
  const until = graceSeconds === 0 ? null : new Date(at.getTime() + graceSeconds * 1000);
  const { rows } = await pool.query<Row>(
    `update webhook_endpoint set old_secret = case when $4::timestamptz is not null then secret end, old_until = $4, secret = $3
     where account_id = $1 and id = $2 returning ${columns}`,
    [accountId, id, sealSecret(secret, id, webhookSecret), until],
  );
  return { ...shown(rows[0] ?? fail("webhook_not_found")), secret };
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
    ...{ id: endpointIdText(id), object: "webhook_endpoint", url, description, events, enabled },
    ...{ failing_since: time(failing_since), disabled_at: time(given_up_at), previous_secret_until: time(old_until) },
    created_at: created_at.toISOString(),
  };
}
