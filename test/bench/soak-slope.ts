// Whether figures over time rise: the least-squares slope, its standard error, and what may be said of both.

export interface Slope {
  /** A unit of x. */
  perUnit: number;
  /** Of `perUnit`; neighbours that resemble each other count as fewer. */
  error: number;
}

/** Needs three points of different x. */
export function slopeOf(points: readonly { x: number; y: number }[]): Slope {
  const count = points.length;
  const mean = (of: (point: { x: number; y: number }) => number) => points.reduce((sum, point) => sum + of(point), 0) / count;
  const x = mean((point) => point.x);
  const y = mean((point) => point.y);
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const perUnit = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  const rest = points.map((point) => point.y - y - perUnit * (point.x - x));
  const squares = rest.reduce((sum, one) => sum + one ** 2, 0);
  const alike = rest.slice(1).reduce((sum, one, at) => sum + one * rest[at]!, 0) / (squares || 1);
  const kept = Math.min(Math.max(alike, 0), 0.9); // correlated by so much, n points are worth n (1 - r) / (1 + r)
  return { perUnit, error: Math.sqrt((squares / (count - 2) / spread) * ((1 + kept) / (1 - kept))) };
}

/** No rise that could be told from noise, or one too small to be of any request. */
export function isFlat({ perUnit, error }: Slope, smallest: number): boolean {
  return perUnit < 2 * error || perUnit < smallest;
}
