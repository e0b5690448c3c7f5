// POST /v1/audio/understand, retired: every authenticated caller gets 404, whatever the request holds (docs/behaviour/requests.md#exceptions).
import { suggestModels } from "../src/catalog/resolve.ts";
import type { Context } from "../src/context.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

function refuse({ catalog }: Pick<Context, "catalog">): never {
  const text = { model: "for questions about recordings", state: "retired" };
  fail("model_not_found", { param: "model", text, extra: suggestModels(catalog, "", "audio-understanding") });
}

export const understandAudio: Handler<"understandAudio"> = Object.assign(refuse, { beforeBody: refuse });
