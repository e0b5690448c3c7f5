// POST /v1/audio/understand, which is retired: whoever is known is told so, whatever is sent (gateway-api.md; WIRE.md 14 row 53).
import { suggestModels } from "../src/catalog/suggest.ts";
import type { Context } from "../src/context.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

function refuse({ catalog }: Pick<Context, "catalog">): never {
  const text = { model: "for questions about recordings", state: "retired" };
  fail("model_not_found", { param: "model", text, extra: suggestModels(catalog, "", "audio-understanding") });
}

export const understandAudio: Handler<"understandAudio"> = Object.assign(refuse, { beforeBody: refuse });
