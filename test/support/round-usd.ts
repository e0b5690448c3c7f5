// Sums of USD as the gateway writes them, with 8 decimals: binary fractions add up to something beside them.
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e8) / 1e8;
}
