// The addresses of our own pages in replies and mails, in one place, so that pages and links move together.

export const mediaPrefix = "/media/";

/** The page about adding credit: every 402's `topup_url`, the hint at a low balance, the return address of a checkout. */
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
