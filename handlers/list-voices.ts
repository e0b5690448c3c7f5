// GET /v1/audio/voices: the voices of both families and the account's own. The steps are in src/audio/list-voices.ts.
import { listVoices as listOf } from "../src/audio/list-voices.ts";
import type { Handler } from "../src/operation.ts";

export const listVoices: Handler<"listVoices"> = async (context, request, ask) => {
  const { cache, body } = await listOf(context, ask, request.query.provider ?? "provider_a");
  return { status: 200, headers: { "content-type": "application/json", "x-svc-cache": cache }, coded: body };
};
