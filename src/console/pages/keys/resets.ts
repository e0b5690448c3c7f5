// When a key's limit begins anew, in words.
import type { ApiKeyRecord } from "svc-sdk/functions";

type Resets = ApiKeyRecord["limit_resets"];

export const resetNames: Record<Resets, { choice: string; short: string }> = {
  never: { choice: "Never", short: "in all" },
  hourly: { choice: "Every hour", short: "an hour" },
  daily: { choice: "Every day", short: "a day" },
  weekly: { choice: "Every week", short: "a week" },
  monthly: { choice: "Every month", short: "a month" },
};

export const resetChoices = (Object.keys(resetNames) as Resets[]).map((value) => ({ value, label: resetNames[value].choice }));

/** What a field says, or never. */
export function resetsOf(value: string): Resets {
  return value in resetNames ? (value as Resets) : "never";
}
