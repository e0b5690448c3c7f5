// Which model an audio request names. Unknown, paused and retired models are refused, and models of another kind with the endpoint's own
// code (docs/behaviour/errors.md#codes). A request without a model gets the catalog's `defaults`.
import type { ErrorCode } from "../../generated/errors.ts";
import { endpointOf, modelsThat, type Resolved, resolveModel, servedModel, stateText, suggestModels } from "../catalog/resolve.ts";
import type { Catalog, DefaultKind, Model } from "../catalog/types.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { cutId } from "../ids.ts";
import type { TranscriptionRequest } from "./transcription-request.ts";

const otherKind: Record<DefaultKind, ErrorCode> = {
  speech: "not_a_tts_model",
  music: "not_a_music_model",
  sfx: "not_an_sfx_model",
  "voice-clone": "not_a_voice_clone_model",
  "voice-design": "not_a_voice_design_model",
};

/** Continues a sentence that begins with "The model". */
const purpose: Record<DefaultKind, string> = {
  speech: "for speech",
  music: "for music",
  sfx: "for sound effects",
  "voice-clone": "for cloning voices",
  "voice-design": "for designing voices",
};

const makes = (kind: DefaultKind) => (model: Model) => model.type === "speech" && (model.capability ?? "speech") === kind;

/** A model that makes audio or voices. Fails with model_not_found or the endpoint's own not_a_…_model. */
export function makerModel(catalog: Catalog, kind: DefaultKind, id: string | null | undefined): Resolved {
  assertServed(catalog, kind);
  if (id == null) return { model: catalog.defaults[kind]!, alias: null };
  const asked = servedModel(catalog, id, makes(kind));
  const { model } = asked;
  if (!makes(kind)(model)) fail(otherKind[kind], { param: "model", text: { model: cutId(id), endpoint: endpointOf(model) as string } });
  return asked;
}

/** While no model of the kind is served, every request for one fails with model_not_found, whatever its body. */
export function assertServed(catalog: Catalog, kind: DefaultKind): void {
  if (catalog.defaults[kind] !== null) return;
  const paused = [...catalog.models.values()].find(makes(kind)) ?? null;
  fail("model_not_found", {
    param: "model",
    text: { model: purpose[kind], ...stateText(paused) },
    extra: suggestModels(catalog, "", makes(kind)),
  });
}

/** The model of a request that names none; a catalog need not have the alias. */
const usualTranscriber = "transcribe";

/** Fails with model_not_found, or invalid_parameter for a model of another kind, or one that doesn't translate. */
export function transcriberModel(catalog: Catalog, request: Pick<TranscriptionRequest, "model" | "task" | "speakers">): Resolved {
  const { model: id, task, speakers } = request;
  const first = catalog.listed.find(({ type }) => type === "transcription");
  const named = id ?? (first !== undefined && resolveModel(catalog, usualTranscriber) === undefined ? first.id : usualTranscriber);
  const asked = servedModel(catalog, named, "transcription");
  const { model } = asked;
  if (model.type !== "transcription") failParameter("model", `${cutId(model.id)} is served by ${endpointOf(model)}`);
  if (task === "translate" && !model.media.supportsTranslation)
    failParameter("model", `${cutId(model.id)} does not translate${modelsThat(catalog, translates)}`);
  if (speakers !== null && !model.media.supportsDiarization)
    failParameter("response_format", `${cutId(model.id)} does not tell speakers apart${modelsThat(catalog, diarizes)}`);
  return id === null ? { model, alias: null } : asked;
}

const diarizes = ({ media }: Model) => media.supportsDiarization;
const translates = ({ media }: Model) => media.supportsTranslation;
