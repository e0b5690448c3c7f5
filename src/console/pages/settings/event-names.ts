// What happened, in the words of the settings.
import type { DeliveredEvent } from "svc-sdk/types";

export const eventNames: Record<DeliveredEvent, string> = {
  "balance.low": "Low balance",
  "key.budget_reached": "A key has spent 50, 80 or 100 % of its budget",
  "key.expiring": "A key expires in 7 days, and in one",
  "member.budget_reached": "A member's keys have spent 50, 80 or 100 % of the member's budget",
  "payment.failed": "A payment failed",
  "payment.disputed": "A payment is disputed",
  "webhook.disabled": "A webhook endpoint was disabled because it failed",
  "recovery_code.used": "A recovery code was used",
  "sign_in.new_place": "A sign-in from a new place",
  "totp.ended": "The second factor was turned off",
  "webhook.test": "Test",
};
