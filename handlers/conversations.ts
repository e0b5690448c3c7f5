// /v1/conversations: conversations of the workspace and their items. What a response does with one is in src/language/responses/conversation.ts.
import { deleteConversation } from "../src/accounts/conversations.ts";
import { failUnknown, placeOf } from "../src/language/responses/conversation.ts";
import {
  addToConversation,
  changeMetadata,
  findConversation,
  findItem,
  listItems,
  makeConversation,
  removeItem,
} from "../src/language/responses/conversation-changes.ts";
import type { Handlers } from "../src/operation.ts";

type Ids =
  | "createConversation"
  | "getConversation"
  | "updateConversation"
  | "deleteConversation"
  | "listConversationItems"
  | "createConversationItems"
  | "getConversationItem"
  | "deleteConversationItem";

export const conversationHandlers: Pick<Handlers, Ids> = {
  async createConversation(context, request) {
    return { status: 200, body: await makeConversation(context, request, request.body ?? {}) };
  },
  async getConversation(context, { caller, path }) {
    return { status: 200, body: await findConversation(context, caller, path.id) };
  },
  async updateConversation(context, { caller, path, body }) {
    return { status: 200, body: await changeMetadata(context, caller, path.id, body.metadata) };
  },
  async deleteConversation(context, { caller, path }) {
    if (!(await deleteConversation(context, placeOf(context, caller, path.id)))) failUnknown(context, caller, path.id);
    return { status: 200, body: { id: path.id, object: "conversation.deleted", deleted: true } };
  },
  async listConversationItems(context, { caller, path, query }) {
    const { after, order = "desc", limit = 20 } = query;
    return { status: 200, body: await listItems(context, caller, path.id, { after, order, limit }) };
  },
  async createConversationItems(context, request) {
    return { status: 200, body: await addToConversation(context, request, request.path.id, request.body.items) };
  },
  async getConversationItem(context, { caller, path }) {
    return { status: 200, body: await findItem(context, caller, path.id, path.item) };
  },
  async deleteConversationItem(context, { caller, path }) {
    return { status: 200, body: await removeItem(context, caller, path.id, path.item) };
  },
};
