// Durations in buckets that grow by 1 %, from 1 microsecond to an hour: constant memory, and percentiles within half a percent.

export interface Histogram {
  add(ms: number): void;
  summary(): Durations;
}

/** Milliseconds. */
export interface Durations {
  count: number;
  mean: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

const leastMs = 0.001;
const growth = Math.log(1.01);
const bucketCount = 2_300;

export function createHistogram(): Histogram {
  const buckets = new Uint32Array(bucketCount);
  let count = 0;
  let sum = 0;
  let max = 0;
  const percentile = (share: number): number => {
    let left = Math.ceil(count * share);
    for (let index = 0; index < bucketCount; index += 1) {
      left -= buckets[index] as number;
      if (left <= 0) return Math.min(max, leastMs * Math.exp((index + 0.5) * growth));
    }
    return max;
  };
  return {
    add(ms) {
      const index = ms <= leastMs ? 0 : Math.floor(Math.log(ms / leastMs) / growth);
      buckets[Math.min(index, bucketCount - 1)]! += 1;
      count += 1;
      sum += ms;
      if (ms > max) max = ms;
    },
    summary: () => ({
      count,
      mean: count === 0 ? 0 : sum / count,
      p50: count === 0 ? 0 : percentile(0.5),
      p90: count === 0 ? 0 : percentile(0.9),
      p99: count === 0 ? 0 : percentile(0.99),
      max,
    }),
  };
}
