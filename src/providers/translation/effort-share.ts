// What of the output cap each effort may think, for models that know budgets alone.

export const shareOfEffort: ReadonlyMap<string, number> = new Map(
  Object.entries({ low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.95 }),
);
