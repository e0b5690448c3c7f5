// Everything that is stored about a person and the person's own workspace, as lines of JSON, read page by page while it is sent: no account is too large
// for it, and one export holds a page in memory. Secrets are not stored, so none is in it.
import { listKeys } from "../accounts/key-records.ts";
import { maskedKey } from "../accounts/keys.ts";
import { sessionRecord, readSessions } from "../accounts/sessions.ts";
import { conversationIdText, exportConversations } from "../accounts/conversations.ts";
import { exportStored } from "../accounts/stored-responses.ts";
import type { Context } from "../context.ts";
import type { Db } from "../db/connect.ts";
import { batchIdText, fileIdText, topupIdText, userIdText, webhookIdText, workspaceIdText } from "../ids.ts";
import { parseJson } from "../json/parse.ts";
import { entryRecord, readEntries } from "../ledger/entries.ts";
import { readLogs, usageLogRecord } from "../ledger/read-usage-log.ts";
import { type Amount, toUsd } from "../money.ts";
import { noticeSettings, readPreferences } from "../notices/events.ts";
import { noticeIds, readNotices } from "../notices/notices.ts";

type Line = Record<string, unknown> & { record: string };

const page = 500;

interface Exporting {
  personId: bigint;
  /** Of the session. */
  hash: Buffer;
  at: Date;
}

export async function* exportAccount(
  context: Pick<Context, "db" | "config" | "clock">,
  { personId, hash, at }: Exporting,
): AsyncGenerator<Line[]> {
  const { db } = context;
  yield await readProfile(db, personId);
  yield await readWorkspaces(db, personId);
  yield await readDomains(db, personId);
  yield await readInvitations(db, personId);
  const sessions = (await readSessions(db, { personId, after: undefined, at }, page)) ?? [];
  yield sessions.map((session) => ({ record: "session", ...sessionRecord(session, hash) }));
  yield (await listKeys(db, personId)).map((key) => ({ record: "api_key", ...key }));
  yield await readTopups(db, personId);
  yield await readCard(db, personId);
  yield await readVoices(db, personId);
  yield* readLedger(db, personId);
  yield* readUsage(db, personId);
  yield* readJobs(db, personId);
  yield await readFiles(db, personId, at);
  yield await readBatches(db, personId);
  yield* readResponses(context, personId);
  yield* readConversations(context, personId);
  yield [{ record: "notice_settings", ...noticeSettings(await readPreferences(db, personId)) }];
  yield await readWebhooks(db, personId);
  yield* readAllNotices(db, personId);
  yield [{ record: "end", exported_at: at.toISOString() }];
}

async function readProfile({ pool }: Db, personId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<
    Record<"userId" | "email" | "name", string> &
      Record<"createdAt", Date> &
      Record<"verifiedAt" | "factorAt", Date | null> & { workspace: string | null; days: number | null }
  >(
    `select user_id as "userId", email, name, created_at as "createdAt", email_verified_at as "verifiedAt", workspace_name as workspace,
       response_retention_days as days, (select confirmed_at from totp where account_id = id) as "factorAt"
     from account where id = $1`,
    [personId],
  );
  const identities = await pool.query<{ issuer: string; subject: string; createdAt: Date }>(
    `select issuer, subject, created_at as "createdAt" from identity where account_id = $1`,
    [personId],
  );
  const profiles = rows.map(({ userId, email, name, createdAt, verifiedAt, factorAt, workspace, days }) => ({
    ...{ record: "profile", id: userIdText(userId), email, name },
    ...{ created_at: createdAt, email_verified_at: verifiedAt, second_factor_at: factorAt },
    ...{ workspace_name: workspace, response_retention_days: days },
  }));
  return [
    ...profiles,
    ...identities.rows.map(({ issuer, subject, createdAt }) => ({ record: "identity", issuer, subject, created_at: createdAt })),
  ];
}

async function readWorkspaces({ pool }: Db, personId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<{ userId: string; name: string; role: string; createdAt: Date }>(
    `select a.user_id as "userId", coalesce(a.workspace_name, a.name, a.email) as name, m.role, m.created_at as "createdAt"
     from member m join account a on a.id = m.account_id where m.person_id = $1 order by m.created_at`,
    [personId],
  );
  return rows.map(({ userId, name, role, createdAt }) => ({
    record: "membership",
    id: workspaceIdText(userId),
    name,
    role,
    created_at: createdAt,
  }));
}

/** Of the own workspace. */
async function readDomains({ pool }: Db, accountId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<{ domain: string; role: string; createdAt: Date; verifiedAt: Date | null }>(
    `select domain, role, created_at as "createdAt", verified_at as "verifiedAt" from workspace_domain where account_id = $1 order by created_at`,
    [accountId],
  );
  return rows.map(({ domain, role, createdAt, verifiedAt }) => ({
    ...{ record: "domain", domain, role, created_at: createdAt, verified_at: verifiedAt },
  }));
}

/** To the own workspace, that wait to be accepted. */
async function readInvitations({ pool }: Db, accountId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<{ email: string; role: string; createdAt: Date; expiresAt: Date }>(
    `select email, role, created_at as "createdAt", expires_at as "expiresAt" from invitation
     where account_id = $1 and ended_at is null order by created_at, id`,
    [accountId],
  );
  return rows.map(({ email, role, createdAt, expiresAt }) => ({
    ...{ record: "invitation", email, role, created_at: createdAt, expires_at: expiresAt },
  }));
}

/** Endpoints of the own workspace, without their secrets. */
async function readWebhooks({ pool }: Db, accountId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<
    Record<"id" | "url", string> & { description: string | null; events: string[] | null; enabled: boolean; createdAt: Date }
  >(`select id, url, description, events, enabled, created_at as "createdAt" from webhook_endpoint where account_id = $1 order by id`, [
    accountId,
  ]);
  return rows.map(({ id, createdAt, ...row }) => ({ record: "webhook", id: webhookIdText(id), ...row, created_at: createdAt }));
}

async function readTopups({ pool }: Db, accountId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<
    Record<"amount", Amount> &
      Record<"paid" | "tax", Amount | null> &
      Record<"id" | "status", string> & { createdAt: Date } & Record<"paymentId" | "country" | "taxId", string | null>
  >(
    `select id, amount, paid, tax, tax_country as country, tax_id as "taxId", status, payment_id as "paymentId", created_at as "createdAt"
     from topup where account_id = $1 order by created_at desc limit 10000`,
    [accountId],
  );
  const usd = (amount: Amount | null) => (amount === null ? null : toUsd(amount));
  return rows.map(({ id, amount, paid, tax, country, taxId, status, paymentId, createdAt }) => ({
    ...{ record: "topup", id: topupIdText(id), amount_usd: toUsd(amount), paid_usd: usd(paid), tax_usd: usd(tax) },
    ...{ tax_country: country, tax_id: taxId, status, payment_number: paymentId, created_at: createdAt },
  }));
}

async function readCard({ pool }: Db, accountId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<{ enabled: boolean; card: object | null; version: string | null; consentAt: Date | null }>(
    `select enabled, card, consent_version as version, consent_at as "consentAt" from auto_topup where account_id = $1`,
    [accountId],
  );
  return rows.map(({ enabled, card, version, consentAt }) => ({
    ...{ record: "auto_topup", enabled, card, consent_version: version, consent_at: consentAt },
  }));
}

async function readVoices({ pool }: Db, accountId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<{ id: string; name: string; createdAt: Date }>(
    `select voice_id as id, name, created_at as "createdAt" from voice where account_id = $1 order by created_at limit 10000`,
    [accountId],
  );
  return rows.map(({ id, name, createdAt }) => ({ record: "voice", id, name, created_at: createdAt }));
}

async function* readLedger(db: Db, accountId: bigint): AsyncGenerator<Line[]> {
  for (let before: bigint | null = null; ;) {
    const rows = await readEntries(db, accountId, { before, type: null }, page);
    yield rows.map((row) => ({ record: "ledger_entry", ...entryRecord(row) }));
    if (rows.length < page) return;
    before = rows.at(-1)!.seq;
  }
}

async function* readUsage(db: Db, accountId: bigint): AsyncGenerator<Line[]> {
  for (let after: { createdAt: Date; id: string } | undefined; ;) {
    const rows = await readLogs(db, accountId, { after }, page);
    yield rows.map((row) => ({ record: "usage", ...usageLogRecord(row, maskedKey) }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = { createdAt: last.created_at, id: last.id };
  }
}

type JobLine = Record<"id" | "kind" | "model" | "status", string> &
  Record<"request" | "tags", object | null> & { seq: bigint; createdAt: Date };

/** What was asked for, and its tags, are there until a job's end; the log has the tags of those that ended. */
async function* readJobs({ pool }: Db, accountId: bigint): AsyncGenerator<Line[]> {
  for (let before: bigint | null = null; ;) {
    const { rows }: { rows: JobLine[] } = await pool.query(
      `select shown_id as id, seq, kind, model, status, request, tags, created_at as "createdAt" from media_job
       where account_id = $1 and ($2::bigint is null or seq < $2) order by seq desc limit ${page}`,
      [accountId, before],
    );
    yield rows.map(({ seq: _seq, createdAt, ...row }) => ({ record: "media_job", ...row, created_at: createdAt }));
    if (rows.length < page) return;
    before = rows.at(-1)!.seq;
  }
}

/** Their bytes are at `GET /v1/files/{id}/content`. */
async function readFiles({ pool }: Db, accountId: bigint, at: Date): Promise<Line[]> {
  const { rows } = await pool.query<{ id: string; filename: string; purpose: string; bytes: number; createdAt: Date; expiresAt: Date }>(
    `select id, filename, purpose, bytes::float8 as bytes, created_at as "createdAt", expires_at as "expiresAt" from stored_file
     where account_id = $1 and is_stored and deleted_at is null and expires_at > $2 order by created_at, id limit 10000`,
    [accountId, at],
  );
  return rows.map(({ id, createdAt, expiresAt, ...row }) => ({
    ...{ record: "file", id: fileIdText(id), ...row, created_at: createdAt, expires_at: expiresAt },
  }));
}

async function readBatches({ pool }: Db, accountId: bigint): Promise<Line[]> {
  const { rows } = await pool.query<{ id: string; endpoint: string; status: string; metadata: object | null; createdAt: Date }>(
    `select id, endpoint, status, metadata, created_at as "createdAt" from batch where account_id = $1 order by created_at, id limit 10000`,
    [accountId],
  );
  return rows.map(({ id, createdAt, ...row }) => ({ record: "batch", id: batchIdText(id), ...row, created_at: createdAt }));
}

/** A page is one, as each may have megabytes. */
async function* readResponses(context: Pick<Context, "db" | "config" | "clock">, accountId: bigint): AsyncGenerator<Line[]> {
  for await (const stored of exportStored(context, accountId))
    yield stored.map(({ input, response }) => ({ record: "response", input: parseJson(input), response: parseJson(response) }));
}

/** As of responses. */
async function* readConversations(context: Pick<Context, "db" | "config" | "clock">, accountId: bigint): AsyncGenerator<Line[]> {
  for await (const { conversation, items } of exportConversations(context, accountId)) {
    const { id, createdAt, metadata } = conversation;
    const said = items.map(({ json }) => parseJson(json));
    yield [{ record: "conversation", id: conversationIdText(id), created_at: createdAt, metadata: parseJson(metadata), items: said }];
  }
}

/** Of the own workspace; one that is deleted while the next page is read ends the list. */
async function* readAllNotices(db: Db, personId: bigint): AsyncGenerator<Line[]> {
  for (let after: string | undefined; ;) {
    const rows = (await readNotices(db, { accountId: personId, personId, after }, page)) ?? [];
    yield rows.map((row) => ({ record: "notice", ...row }));
    if (rows.length < page) return;
    after = noticeIds.parse(rows.at(-1)!.id);
  }
}
