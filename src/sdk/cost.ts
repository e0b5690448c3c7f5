// What a call cost, wherever its answer says so.

type Words = Record<string, unknown>;

/**
 * Cost of an answer in USD, exactly as the answer gives it: `usage.cost` of a text answer or its last event, `billing.cost_usd` of a
 * transcript, `cost_usd` of kept audio and new voices, `charged_amount` of a finished job. Null if the answer has none.
 */
export function costOf(data: unknown): number | null {
  const { usage, billing, response, cost, cost_usd, charged_amount } = Object(data) as Words;
  const told = [cost, cost_usd, charged_amount, (Object(usage) as Words).cost, (Object(billing) as Words).cost_usd];
  const said = told.find((value) => typeof value === "number");
  return (said as number | undefined) ?? (response === undefined || response === null ? null : costOf(response));
}

/** USD in the header that answers without a JSON body have. */
export function costIn(headers: Headers): number | null {
  const said = headers.get("x-svc-cost-usd");
  return said === null ? null : Number(said);
}
