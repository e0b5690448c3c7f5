// Mail domains of a workspace: claimed, proved by a TXT record, changed and removed. Who joins by them: src/accounts/group-members.ts.
import { randomBytes, randomUUID } from "node:crypto";
import { Resolver } from "node:dns/promises";
import type { components } from "../../generated/api.d.ts";
import { type Actor, lockAsManager } from "../accounts/members.ts";
import { withTimeout } from "../clock.ts";
import type { Context } from "../context.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { domainIdText, parseDomainId } from "../ids.ts";
import { isListed } from "../text/domain-list.ts";
import { foldEmail } from "../text/email-address.ts";
import { refuse } from "./members.ts";

type DomainRecord = components["schemas"]["WorkspaceDomain"];
type DomainRole = components["schemas"]["DomainRole"];

/** The list of domains has no pages. */
const domainsMax = 20;
/** Of one person, in all workspaces together: each is a question to the name servers. */
const looksPerMinute = 10;

/** The largest providers that give addresses to anyone. Nobody else could prove them either: this says so before a record is tried. */
const publicProviders = new Set(
  `126.com 139.com 163.com aol.com att.net bellsouth.net btinternet.com comcast.net daum.net duck.com fastmail.com free.fr gmail.com gmx.at
  gmx.ch gmx.com gmx.de gmx.net googlemail.com hanmail.net hey.com hotmail.co.uk hotmail.com hotmail.de hotmail.fr hushmail.com icloud.com
  laposte.net libero.it live.co.uk live.com live.de mac.com mail.com mail.de mail.ru me.com msn.com naver.com orange.fr outlook.com outlook.de
  pm.me posteo.de proton.me protonmail.com qq.com rediffmail.com rocketmail.com sfr.fr sina.com t-online.de tuta.com tutanota.com verizon.net
  wanadoo.fr web.de yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.de yahoo.fr yandex.com yandex.ru ymail.com zoho.com`.split(/\s+/),
);

interface DomainRow {
  id: string;
  domain: string;
  role: DomainRole;
  token: string;
  createdAt: Date;
  verifiedAt: Date | null;
}

const columns = `id, domain, role, token, created_at as "createdAt", verified_at as "verifiedAt"`;

export async function readDomainRecords({ pool }: Queries, accountId: bigint): Promise<DomainRecord[]> {
  const { rows } = await pool.query<DomainRow>(
    `select ${columns} from workspace_domain where account_id = $1 order by created_at, id limit $2`,
    [accountId, domainsMax],
  );
  return rows.map(toRecord);
}

interface Claim {
  domain: string;
  role: DomainRole;
  at: Date;
}

/** Whether another workspace has the domain shows only to who has proved it. */
export async function claimDomain({ db, config }: Pick<Context, "db" | "config">, actor: Actor, claim: Claim): Promise<DomainRecord> {
  const { role, at } = claim;
  const domain = foldEmail(claim.domain);
  if (isListed(publicProviders, domain) || isListed(config.signUp.disposable, domain))
    failParameter("domain", "it gives mail addresses to anyone");
  return inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor);
    const known = await readDomainRecords(transaction, actor.accountId);
    if (known.length >= domainsMax && !known.some((one) => one.domain === domain))
      refuse(`a workspace has ${domainsMax} domains at most: remove one first`);
    const { rows } = await transaction.pool.query<DomainRow>(
      `insert into workspace_domain (id, account_id, domain, role, token, created_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (account_id, domain) do update set role = excluded.role returning ${columns}`,
      [randomUUID(), actor.accountId, domain, role, randomBytes(24).toString("base64url"), at],
    );
    return toRecord(rows[0]!);
  });
}

/** The name servers are asked before a row is locked. */
export async function verifyDomain(
  { db, config, limits }: Pick<Context, "db" | "config" | "limits">,
  actor: Actor,
  { id: text, at }: { id: string; at: Date },
): Promise<DomainRecord> {
  await limits.throttle("domain record", String(actor.personId), looksPerMinute);
  const id = parseDomainId(text) ?? fail("domain_not_found");
  const values = [id, actor.accountId];
  const { rows } = await db.pool.query<DomainRow>(`select ${columns} from workspace_domain where id = $1 and account_id = $2`, values);
  const claimed = toRecord(rows[0] ?? fail("domain_not_found"));
  await assertPublished(claimed, config.nameServers);
  return inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor);
    // Of two workspaces that prove one domain at once, the second sees the first.
    await transaction.pool.query("select pg_advisory_xact_lock(hashtextextended('domain ' || $1, 0))", [claimed.domain]);
    const others = await transaction.pool.query(
      "select 1 from workspace_domain where domain = $1 and account_id <> $2 and verified_at is not null",
      [claimed.domain, actor.accountId],
    );
    if (others.rowCount !== 0) fail("domain_taken");
    const sql = `update workspace_domain set verified_at = $3 where id = $1 and account_id = $2 returning ${columns}`;
    return changed(await transaction.pool.query<DomainRow>(sql, [...values, at]));
  });
}

export async function updateDomain(db: Db, actor: Actor, text: string, role: DomainRole): Promise<DomainRecord> {
  return inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor);
    const sql = `update workspace_domain set role = $3 where id = $1 and account_id = $2 returning ${columns}`;
    const id = parseDomainId(text) ?? fail("domain_not_found");
    return changed(await transaction.pool.query<DomainRow>(sql, [id, actor.accountId, role]));
  });
}

/** Returns its id as shown. */
export async function removeDomain(db: Db, actor: Actor, text: string): Promise<string> {
  return inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor);
    const sql = `delete from workspace_domain where id = $1 and account_id = $2 returning ${columns}`;
    const id = parseDomainId(text) ?? fail("domain_not_found");
    return changed(await transaction.pool.query<DomainRow>(sql, [id, actor.accountId])).id;
  });
}

function changed({ rows }: { rows: DomainRow[] }): DomainRecord {
  return toRecord(rows[0] ?? fail("domain_not_found"));
}

function toRecord({ id, domain, role, token, createdAt, verifiedAt }: DomainRow): DomainRecord {
  return {
    id: domainIdText(id),
    object: "workspace.domain",
    domain,
    role,
    status: verifiedAt === null ? "pending" : "verified",
    record_name: `_svc-verify.${domain}`,
    record_value: `svc-verify=${token}`,
    created_at: createdAt.toISOString(),
    verified_at: verifiedAt?.toISOString() ?? null,
  };
}

// The record, as the name servers have it.

const dnsTimeouts = { timeout: 2_000, tries: 2 };
/** Of all servers together. */
const lookMs = 8_000;
const absent: readonly unknown[] = ["ENOTFOUND", "ENODATA"];

/** Only the name servers are asked: neither this machine's hosts file nor its search domains prove anything. */
async function assertPublished({ record_name: name, record_value: value }: DomainRecord, servers: readonly string[]): Promise<void> {
  const resolver = new Resolver(dnsTimeouts);
  if (servers.length > 0) resolver.setServers(servers);
  const unanswered = (): never => fail("domain_unverified", { text: { reason: `the name servers did not answer for ${name}` } });
  const look = resolver.resolveTxt(name).catch((error: unknown) => {
    if (!absent.includes((error as NodeJS.ErrnoException).code)) return unanswered();
    return fail("domain_unverified", { text: { reason: `there is no TXT record ${name}` } });
  });
  try {
    const records = await withTimeout(lookMs, look, unanswered);
    if (records.some((parts) => parts.join("").trim() === value)) return;
  } finally {
    resolver.cancel();
  }
  fail("domain_unverified", { text: { reason: `the TXT record ${name} says something else` } });
}
