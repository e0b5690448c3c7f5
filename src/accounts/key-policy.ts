// What a key may do beyond its budget: until when, from where, which operations and models, how often. Prepared once from the key's row and
// kept with its cached caller, so that a request costs a few look-ups in memory, and one with a key without policies costs none. Each
// scope takes a group of operations away.
import { BlockList } from "node:net";
import ipaddr from "ipaddr.js";
import { type OperationId, operations } from "../../generated/operations.ts";
import type { components } from "../../generated/api.d.ts";
import { fail } from "../errors/fail.ts";
import { maskedKey } from "./keys.ts";

export interface KeyPolicy {
  /** For messages. */
  masked: string;
  /** By the database's clock, ms since 1970; null: never. */
  expiresAtMs: number | null;
  /** When the secret that was sent ends, since the key was rolled; null: it is the key's own. */
  secretEndsMs: number | null;
  models: { ids: ReadonlySet<string>; vendors: readonly string[] } | null;
  operations: ReadonlySet<string> | null;
  scopes: readonly KeyScope[] | null;
  networks: BlockList | null;
  /** Requests and tokens a minute; null: the account's tier alone. */
  rpm: number | null;
  tpm: number | null;
  /** Streams of chat and completions report usage, though their requests don't ask for it. */
  streamUsage: boolean;
  /** How long answers are kept for repeats of their request, which a request may say itself; 0: they are not. */
  responseCacheSeconds: number;
}

/** The longest that answers are kept, in seconds. */
export const responseCacheSecondsMax = 86_400;

/** As the database has them. */
export interface StoredPolicy {
  expires_at: Date | null;
  allowed_models: string[] | null;
  allowed_operations: string[] | null;
  allowed_networks: string[] | null;
  scopes: KeyScope[] | null;
  rpm: number | null;
  tpm: number | null;
  stream_usage: boolean;
  response_cache_seconds: number;
}

export const policyColumns = `k.expires_at, k.allowed_models, k.allowed_operations, k.allowed_networks, k.scopes, k.rpm, k.tpm, k.stream_usage,
  k.response_cache_seconds`;

export interface PolicyRow extends StoredPolicy {
  prefix: string;
  last4: string;
  /** Of the secret that was sent. */
  secret_ends: Date | null;
}

/** Null: the key may do what its account may, and its answers are as they were asked for. */
export function policyOf(row: PolicyRow): KeyPolicy | null {
  const {
    expires_at,
    secret_ends,
    allowed_models,
    allowed_operations,
    allowed_networks,
    scopes,
    rpm,
    tpm,
    stream_usage,
    response_cache_seconds,
  } = row;
  const all = [expires_at, secret_ends, allowed_models, allowed_operations, allowed_networks, scopes, rpm, tpm];
  if (!stream_usage && response_cache_seconds === 0 && all.every((rule) => rule === null)) return null;
  return {
    masked: maskedKey(row),
    expiresAtMs: expires_at?.getTime() ?? null,
    secretEndsMs: secret_ends?.getTime() ?? null,
    models: allowed_models && {
      ids: new Set(allowed_models.filter((id) => !id.endsWith("/*"))),
      vendors: allowed_models.filter((id) => id.endsWith("/*")).map((pattern) => pattern.slice(0, -1)),
    },
    operations: allowed_operations && new Set(allowed_operations),
    scopes,
    networks: allowed_networks && networksOf(allowed_networks),
    ...{ rpm, tpm },
    streamUsage: stream_usage,
    responseCacheSeconds: response_cache_seconds,
  };
}

function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address, length] = text.split("/") as [string, string];
    list.addSubnet(address, Number(length), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

type Subject = { policy: KeyPolicy | null };

/** Fails with model_not_allowed. */
export function assertModelAllowed({ policy }: Subject, model: string): void {
  if (policy !== null && !allowsModel(policy, model)) fail("model_not_allowed", { param: "model", text: { model, key: policy.masked } });
}

/** Also the models that answer in another's place. */
export function mayUseModel({ policy }: Subject, model: string): boolean {
  return policy === null || allowsModel(policy, model);
}

function allowsModel({ models }: KeyPolicy, model: string): boolean {
  return models === null || models.ids.has(model) || models.vendors.some((vendor) => model.startsWith(vendor));
}

/** Fails with operation_not_allowed: by the key's list of operations, or by one of its scopes. */
export function assertOperationAllowed({ masked, operations, scopes }: KeyPolicy, operation: OperationId): void {
  const scope = scopes?.find((one) => deniedBy(one, operation));
  if (scope !== undefined) fail("operation_not_allowed", { text: { operation, key: masked, scope } });
  if (operations !== null && !operations.has(operation)) fail("operation_not_allowed", { text: { operation, key: masked } });
}

/** Fails with key_expired. */
export function assertNotExpired({ expiresAtMs, masked }: KeyPolicy, nowMs: number): void {
  if (expiresAtMs !== null && nowMs >= expiresAtMs)
    fail("key_expired", { text: { key: masked, expired_at: new Date(expiresAtMs).toISOString() } });
}

/** Fails with network_not_allowed. `address` as the connection or the trusted proxies give it. */
export function assertNetworkAllowed({ networks, masked }: KeyPolicy, address: string): void {
  if (networks === null) return;
  const plain = address.replace(/%.*$/, "");
  const parsed = ipaddr.isValid(plain) ? ipaddr.process(plain) : null; // an IPv4 address that IPv6 wraps is that address
  if (parsed !== null && networks.check(parsed.toString(), parsed.kind())) return;
  fail("network_not_allowed", { text: { key: masked, address: parsed?.toString() ?? "unknown" } });
}

export type KeyScope = components["schemas"]["KeyScope"];

const media = new Set<OperationId>(["createImage", "createImageEdit", "createImageVariation", "createVideo", "runGenmedia"]);
const audio = new Set<OperationId>([
  "createMusic",
  "createSoundEffect",
  "createSpeech",
  "createTranscription",
  "createTranslation",
  "understandAudio",
  "cloneVoice",
  "designVoice",
]);
/** They answer a question and change nothing. */
const reads = new Set<OperationId>(["createQuote", "countMessageTokens", "countResponseTokens"]);

const denies: Record<KeyScope, (operation: OperationId) => boolean> = {
  read_only: (id) => operations[id].method !== "get" && !reads.has(id),
  no_media: (id) => media.has(id),
  no_audio: (id) => audio.has(id),
  // What a dashboard reads, too: keys, usage, money, limits.
  no_account: (id) => operations[id].auth === "key_or_session",
};

export const keyScopes = Object.keys(denies) as KeyScope[];

const deniedBy = (scope: KeyScope, operation: OperationId): boolean => denies[scope](operation);
