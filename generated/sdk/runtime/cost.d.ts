/**
 * USD that an answer says it cost, exactly as it says it: `usage.cost` of a text answer or its last event, `billing.cost_usd` of a
 * transcript, `cost_usd` of kept audio and made voices, `charged_amount` of a job that is done. Null where it says none.
 */
export declare function costOf(data: unknown): number | null;
/** USD in the header that answers without a JSON body have. */
export declare function costIn(headers: Headers): number | null;
