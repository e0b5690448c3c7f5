// A top-up's id as shown: `top_` and the hex digits of its UUID, which is also the id of its ledger entry.

export function topupIdText(uuid: string): string {
  return `top_${uuid.replaceAll("-", "")}`;
}

/** Its UUID; undefined for anything else. */
export function parseTopupId(text: string): string | undefined {
  const parts = /^top_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text);
  return parts?.slice(1).join("-");
}
