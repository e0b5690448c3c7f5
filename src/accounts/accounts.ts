// Authenticates callers: turns an API key into a Caller, from a cache where it can, and a session's token by a query. Every replica hears of
// revoked keys by NOTIFY and forgets them at once; while its listener may be down, cached callers count only for moments.
import { boundedMap } from "../concurrency/bounded-map.ts";
import type { Clock } from "../clock.ts";
import type { Db } from "../db/connect.ts";
import { listen } from "../db/listen.ts";
import { authenticateSession } from "./sessions.ts";
import type { Caller } from "./caller.ts";
import { policyColumns, policyOf, type PolicyRow } from "./key-policy.ts";
import { digestOf, isKeyShaped } from "./keys.ts";

export interface Accounts {
  /** The caller of a key that memory knows; undefined: `authenticateKey` has to find out. */
  recallKey(key: string): Caller | undefined;
  /** Undefined: the key is unknown, disabled or deleted. */
  authenticateKey(key: string): Promise<Caller | undefined>;
  /** `workspace`: the id of the workspace to act in; absent: the person's own. 403 where the person is no member of it. */
  authenticateSession(token: string, workspace?: string): Promise<Caller | undefined>;
  /** All notifications before this moment of performance.now() were heard. */
  heardUntil(): number;
  close(): Promise<void>;
}

interface AccountsOptions {
  /** A direct address: a transaction pooler would deliver no notifications. */
  listenUrl: string;
  clock: Clock;
  onFault: (error: unknown, what: string) => void;
  /** An account changed, or what other processes hold of it is recalled; null: notifications may have been missed. */
  onRecall?: (accountId: bigint | null) => void;
  /** Other channels, heard on the same connection: a process has few. `changed` is called after a reconnect, too. */
  alsoHears?: readonly { channel: string; changed: () => void }[];
}

interface Remembered {
  /** Undefined: there is no such key. */
  caller: Caller | undefined;
  /** performance.now() when the query was sent. */
  askedAt: number;
}

const knownMax = 50_000;
const knownMs = 60_000;
/** How many wrong keys are cached for callers that repeat them. */
const unknownMax = 10_000;
const unknownMs = 5_000;
/** Digests by the text of their keys, so that a known key costs neither a checksum nor a hash. */
const digestsMax = 10_000;
/**
 * A key is revoked everywhere within a second, even if the listener fails (docs/behaviour/operation.md#replicas): a cached caller counts only
 * if it was read, or the listener proved that it hears (every 250 ms, src/db/listen.ts), less than this ago. Else it is read again.
 */
const deafMs = 900;

export async function createAccounts(db: Db, options: AccountsOptions): Promise<Accounts> {
  const known = boundedMap<string, Remembered>(knownMax, knownMs);
  const unknown = boundedMap<string, Remembered>(unknownMax, unknownMs);
  const digests = boundedMap<string, string>(digestsMax);
  const loading = new Map<string, Promise<Caller | undefined>>();
  const uses = recordKeyUse(db, options);
  /** Counts invalidations: an answer of a query that was sent before one must not be cached after it. */
  let forgotten = 0;

  const forget = (channel: string, payload: string) => {
    forgotten++;
    if (channel === "api_key_changed") for (const cache of [known, unknown]) cache.delete(payload);
    else for (const [digest, { caller }] of known.entries()) if (String(caller?.accountId) === payload) known.delete(digest);
  };
  const forgetAll = () => {
    mayHaveMissed(options);
    forgotten++;
    known.clear();
    unknown.clear();
  };
  const listener = await listen(options.listenUrl, channelsOf(options), alsoRecalling(forget, options), forgetAll, db.checks);

  const load = async (digest: string): Promise<Caller | undefined> => {
    const before = forgotten;
    const askedAt = performance.now();
    const caller = await findCaller(db, Buffer.from(digest, "hex"));
    const [into, outOf] = caller ? [known, unknown] : [unknown, known];
    outOf.delete(digest); // with or without a notification
    if (before === forgotten) into.set(digest, { caller, askedAt });
    return caller;
  };
  const recall = (digest: string): Remembered | undefined => {
    const remembered = known.get(digest) ?? unknown.get(digest);
    return remembered && isCurrent(db, remembered, listener.heardUntil) ? remembered : undefined;
  };

  /** One query for any number of concurrent calls. */
  const loadOnce = (digest: string): Promise<Caller | undefined> => {
    const running = loading.get(digest);
    if (running) return running;
    const promise = load(digest).finally(() => loading.delete(digest));
    loading.set(digest, promise);
    return promise;
  };

  return {
    recallKey(key) {
      const digest = digests.get(key);
      const caller = digest === undefined ? undefined : recall(digest)?.caller;
      if (caller?.keyId != null) uses.note(caller.keyId);
      return caller;
    },
    async authenticateKey(key) {
      const digest = digests.get(key) ?? digestOfShaped(key);
      if (digest === undefined) return undefined;
      const remembered = recall(digest);
      const caller = remembered ? remembered.caller : await loadOnce(digest);
      if (caller?.keyId == null) return caller;
      digests.set(key, digest);
      uses.note(caller.keyId);
      return caller;
    },
    heardUntil: () => listener.heardUntil,
    authenticateSession: (token, workspace) => authenticateSession(db, options.clock, token, workspace),
    async close() {
      await listener.close();
      await uses.close();
    },
  };
}

const channels = ["api_key_changed", "account_changed", "escrow_recall"];

function channelsOf({ alsoHears }: AccountsOptions): string[] {
  return [...channels, ...(alsoHears ?? []).map(({ channel }) => channel)];
}

function mayHaveMissed({ onRecall, alsoHears }: AccountsOptions): void {
  onRecall?.(null);
  for (const { changed } of alsoHears ?? []) changed();
}

/** A change of an account recalls what is held for it, too. */
function alsoRecalling(forget: (channel: string, payload: string) => void, { onRecall, alsoHears }: AccountsOptions) {
  return (channel: string, payload: string) => {
    const other = alsoHears?.find((one) => one.channel === channel);
    if (other !== undefined) return other.changed();
    if (channel !== "api_key_changed") onRecall?.(BigInt(payload));
    if (channel !== "escrow_recall") forget(channel, payload);
  };
}

/** The secret that a rolled key had before ends at its time, without a notification. */
function isCurrent({ checks }: Db, { caller, askedAt }: Remembered, heardUntil: number): boolean {
  const ends = caller?.policy?.secretEndsMs ?? null;
  if (ends !== null && ends <= checks.now().getTime()) return false;
  return Math.max(askedAt, heardUntil) > performance.now() - deafMs;
}

/** Undefined: it can't be a key of ours. */
function digestOfShaped(key: string): string | undefined {
  return isKeyShaped(key) ? digestOf(key).toString("hex") : undefined;
}

function findCaller(db: Db, hash: Buffer): Promise<Caller | undefined> {
  return readCaller(
    db,
    "(k.hash = $1 or k.old_hash = $1 and k.old_until > clock_timestamp())",
    "case when k.hash <> $1 then k.old_until end",
    hash,
  );
}

/** The caller of a key by its id, as the database has it now. Undefined: it is disabled or deleted. */
export function findKeyCaller(db: Db, keyId: bigint): Promise<Caller | undefined> {
  return readCaller(db, "k.id = $1", "null::timestamptz", keyId);
}

async function readCaller(db: Db, isKey: string, secretEnds: string, value: Buffer | bigint): Promise<Caller | undefined> {
  const { rows } = await db.pool.query<Omit<Caller, "policy" | "session"> & PolicyRow>(
    `select k.account_id as "accountId", k.id as "keyId", b.purchased, a.assigned_tier as "assignedTier", a.suspended_at is not null as suspended,
       a.response_retention_days is not null as "storesResponses",
       k.prefix, k.last4, ${policyColumns}, ${secretEnds} as secret_ends
     from api_key k join account a on a.id = k.account_id join balance b on b.account_id = k.account_id
     where ${isKey} and k.enabled and k.deleted_at is null`,
    [value],
  );
  if (rows[0] === undefined) return undefined;
  const { accountId, keyId, purchased, assignedTier, suspended, storesResponses, ...policy } = rows[0];
  return { accountId, keyId, purchased, assignedTier, suspended, storesResponses, policy: policyOf(policy), session: null };
}

// When each key was last used: collected in memory and written once a minute, so that no request waits for it.

interface KeyUse {
  note(keyId: bigint): void;
  close(): Promise<void>;
}

const writeEveryMs = 60_000;

export function recordKeyUse(db: Db, { clock, onFault }: { clock: Clock; onFault: (error: unknown, what: string) => void }): KeyUse {
  let used = new Map<bigint, Date>();
  const write = async () => {
    if (used.size === 0) return;
    const written = used;
    used = new Map();
    try {
      await writeUse(db, written);
    } catch (error) {
      for (const [keyId, at] of written) if (!used.has(keyId)) used.set(keyId, at); // for the next round
      onFault(error, "last use of keys");
    }
  };
  const timer = setInterval(() => void write(), writeEveryMs);
  return {
    note: (keyId) => void used.set(keyId, clock()),
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}

async function writeUse(db: Db, used: Map<bigint, Date>): Promise<void> {
  // Locked in one order, so that two replicas can't deadlock.
  await db.pool.query(
    `with u as (select * from unnest($1::bigint[], $2::timestamptz[]) u(id, at)),
     locked as materialized (select id from api_key where id = any($1) order by id for no key update)
     update api_key k set last_used_at = greatest(k.last_used_at, u.at) from u, locked l where k.id = u.id and l.id = u.id`,
    [[...used.keys()], [...used.values()]],
  );
}
