// A top-up's id as shown: `top_` and the hex digits of its UUID, which is also the id of its ledger entry.
import { parseUuidHex, uuidHex } from "../ids.ts";

const prefix = "top_";

export function topupIdText(uuid: string): string {
  return prefix + uuidHex(uuid);
}

/** Its UUID; undefined for anything else. */
export function parseTopupId(text: string): string | undefined {
  return text.startsWith(prefix) ? parseUuidHex(text.slice(prefix.length)) : undefined;
}
