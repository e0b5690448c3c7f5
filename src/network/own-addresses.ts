// The addresses of our own pages in replies and mails, in one place, so that pages and links move together.

export const mediaPrefix = "/media/";

/** The page about adding credit: used for every 402's `topup_url`, the low-balance hint, and a checkout's return address. */
export function creditsPage(publicUrl: string): string {
  return `${publicUrl}/docs/credits`;
}

/** Least amount of one top-up, in USD. */
export const topupMinimumUsd = 5;

/** What an error about money says about adding credit. */
export function topupFields(publicUrl: string) {
  const url = creditsPage(publicUrl);
  return { topup_url: url, topup: { url, minimum_usd: topupMinimumUsd } };
}
