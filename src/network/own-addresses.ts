// Addresses of our own pages that replies and mails point to. One place, so that a page can't move away from its links.

export const mediaPrefix = "/media/";

/** Tells how credit is added here: every 402's `topup_url`, the nudge of a low balance, where a checkout returns to. */
export function creditsPage(publicUrl: string): string {
  return `${publicUrl}/docs/credits`;
}

/** Least amount of one top-up, in USD. */
export const topupMinimumUsd = 5;

/** What an error about money says of adding some. */
export function topupFields(publicUrl: string) {
  const url = creditsPage(publicUrl);
  return { topup_url: url, topup: { url, minimum_usd: topupMinimumUsd } };
}
