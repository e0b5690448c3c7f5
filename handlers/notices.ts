// The handlers of notices and webhooks; index.ts has the others.
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { getNotices } from "./get-notices.ts";
import { getWebhook } from "./get-webhook.ts";
import { listNotices } from "./list-notices.ts";
import { listWebhookDeliveries } from "./list-webhook-deliveries.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { replayWebhookDelivery } from "./replay-webhook-delivery.ts";
import { rollWebhookSecret } from "./roll-webhook-secret.ts";
import { testWebhook } from "./test-webhook.ts";
import { updateNotices } from "./update-notices.ts";
import { updateWebhook } from "./update-webhook.ts";

export const noticeHandlers = {
  getNotices,
  updateNotices,
  listNotices,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rollWebhookSecret,
  listWebhookDeliveries,
  testWebhook,
  replayWebhookDelivery,
};
