// Reads the policies of a key from a request, refuses what can't be meant, and stores them.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { operations } from "../../generated/operations.ts";
import type { Operation } from "../../generated/operations.ts";
import type { Queries } from "../db/connect.ts";
import { failParameter } from "../errors/fail.ts";
import type { KeyScope, StoredPolicy } from "./key-policy.ts";

/** As the contract has them. Absent fields stay as they are; null: no such rule. */
export interface SentPolicy {
  expires_at?: string | null;
  allowed_models?: string[] | null;
  allowed_operations?: string[] | null;
  allowed_networks?: string[] | null;
  scopes?: KeyScope[];
  rpm?: number | null;
  tpm?: number | null;
  stream_usage?: boolean;
  response_cache_seconds?: number;
}

export type PolicyChange = Partial<StoredPolicy>;

interface Known {
  catalog: { models: ReadonlyMap<string, unknown>; aliases: ReadonlyMap<string, unknown> };
  /** By the database's clock. */
  now: Date;
}

/** Fails with invalid_parameter, naming the entry. */
export function readPolicy(sent: SentPolicy, { catalog, now }: Known): PolicyChange {
  const { expires_at, allowed_models, allowed_operations, allowed_networks, scopes, rpm, tpm, stream_usage, response_cache_seconds } = sent;
  const change: PolicyChange = {};
  if (expires_at !== undefined) change.expires_at = expires_at === null ? null : readExpiry(expires_at, now);
  if (allowed_models !== undefined) change.allowed_models = each("allowed_models", allowed_models, (id) => readModel(catalog, id));
  if (allowed_operations !== undefined) change.allowed_operations = each("allowed_operations", allowed_operations, readOperation);
  if (allowed_networks !== undefined) change.allowed_networks = each("allowed_networks", allowed_networks, readNetwork);
  if (scopes !== undefined) change.scopes = scopes.length === 0 ? null : [...new Set(scopes)];
  if (rpm !== undefined) change.rpm = rpm;
  if (tpm !== undefined) change.tpm = tpm;
  if (stream_usage !== undefined) change.stream_usage = stream_usage;
  if (response_cache_seconds !== undefined) change.response_cache_seconds = response_cache_seconds;
  return change;
}

/** Each entry once. `read` returns a sentence for what it refuses. */
function each(field: string, texts: string[] | null, read: (text: string) => { kept: string } | { refused: string }): string[] | null {
  if (texts === null) return null;
  const kept = texts.map((text, place) => {
    const entry = read(text);
    return "kept" in entry ? entry.kept : failParameter(`${field}[${place}]`, entry.refused);
  });
  return [...new Set(kept)];
}

function readExpiry(text: string, now: Date): Date {
  const at = new Date(text);
  if (!(at.getTime() > now.getTime())) failParameter("expires_at", "it must be in the future");
  return at;
}

function readModel({ models, aliases }: Known["catalog"], id: string) {
  if (models.has(id)) return { kept: id };
  if (aliases.has(id)) return { refused: "it is an alias: give the id of its model" };
  const vendor = /^[^*]+\/(?=\*$)/.exec(id)?.[0];
  if (vendor !== undefined && models.keys().some((known) => known.startsWith(vendor))) return { kept: id };
  return { refused: "it is neither the id of a model nor vendor/* of one" };
}

function readOperation(id: string) {
  const known = Object.hasOwn(operations, id) ? (operations as Record<string, Operation>)[id]! : null;
  if (known === null) return { refused: "there is no such operation" };
  if (known.auth === "key" || known.auth === "key_or_session") return { kept: id };
  return { refused: "it takes no API key" };
}

/** An address is a network of one. What stands behind the prefix is cleared. */
function readNetwork(text: string) {
  const [address, length, ...more] = text.split("/");
  const family = isIP(address!);
  const bits = family === 4 ? 32 : 128;
  if (family === 0 || more.length > 0 || address!.includes("%") || !/^(?:0|[1-9]\d{0,2})$/.test(length ?? String(bits)))
    return { refused: "it is not a network such as 192.0.2.0/24 or 2001:db8::/32" };
  const size = Number(length ?? bits);
  if (size > bits) return { refused: `its prefix has ${bits} bits at most` };
  const of = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = of.networkAddressFromCIDR(`${address}/${size}`);
  if (network.kind() === "ipv6" && (network as ipaddr.IPv6).isIPv4MappedAddress()) return { refused: "give the IPv4 network itself" };
  return { kept: `${network.toString()}/${size}` };
}

const columns = [
  ...(["expires_at", "allowed_models", "allowed_operations", "allowed_networks", "scopes"] as const),
  ...(["rpm", "tpm", "stream_usage", "response_cache_seconds"] as const),
];

/** Every replica hears of it within a second. */
export async function setPolicy({ pool }: Queries, keyId: bigint, change: PolicyChange): Promise<void> {
  const changed = columns.filter((column) => change[column] !== undefined);
  if (changed.length === 0) return;
  const sets = changed.map((column, place) => `${column} = $${place + 2}`).join(", ");
  await pool.query(`update api_key set ${sets} where id = $1 and deleted_at is null`, [keyId, ...changed.map((column) => change[column])]);
}
