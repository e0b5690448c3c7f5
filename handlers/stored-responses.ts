// GET and DELETE /v1/responses/{id} and GET /v1/responses/{id}/input_items: what is stored of the workspace's responses.
import { deleteStored, storesResponses } from "../src/accounts/stored-responses.ts";
import { parseResponseId } from "../src/ids.ts";
import { failNotFound, findStored, pageOfItems } from "../src/language/responses/stored.ts";
import type { Handlers } from "../src/operation.ts";

export const storedResponseHandlers: Pick<Handlers, "getResponse" | "deleteResponse" | "listResponseInputItems"> = {
  async getResponse(context, { caller, path }) {
    const { response } = await findStored(context, caller, path.id);
    return { status: 200, headers: { "content-type": "application/json" }, bytes: Buffer.from(response) };
  },
  async deleteResponse(context, { caller, path }) {
    const id = parseResponseId(path.id);
    const found = id !== undefined && storesResponses(context.config, caller) && (await deleteStored(context, caller.accountId, id));
    if (!found) failNotFound(context, caller, path.id);
    return { status: 200, body: { id: path.id, object: "response", deleted: true } };
  },
  async listResponseInputItems(context, { caller, path, query }) {
    const { after, order = "desc", limit = 20 } = query;
    return { status: 200, body: pageOfItems(await findStored(context, caller, path.id), { after, order, limit }) };
  },
};
