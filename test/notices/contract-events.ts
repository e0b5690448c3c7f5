// The events that the contract names, read without the code of notices, so that an event that one of both forgot shows.
import { readFileSync } from "node:fs";

const { components } = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8")) as {
  components: { schemas: { MailedEvent: { enum: string[] }; WebhookEvent: { anyOf: { enum?: string[] }[] } } };
};
const { MailedEvent, WebhookEvent } = components.schemas;

/** Those of a workspace, whose recipients it chooses. */
export const workspaceEvents: readonly string[] = MailedEvent.enum;
/** Those of a person, in the own workspace. */
export const personEvents: readonly string[] = WebhookEvent.anyOf.flatMap((part) => part.enum ?? []);
