// From the fields of a request to a job's plan, for each of the three APIs: which models they sell, and the order of the refusals
// (docs/behaviour/media-jobs.md#submit): fields, model, what depends on the model, the free-tier gate, the tier's slots. Holds and counts
// nothing.
import type { Caller } from "../accounts/caller.ts";
import {
  endpointOf,
  findServed,
  modelsThat,
  type Resolved,
  resolveModel,
  servedModel,
  servedModelOf,
  stateText,
  suggestModels,
} from "../catalog/resolve.ts";
import { assertMayUse } from "../calls/refusals.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { cutId } from "../ids.ts";
import { readBalance } from "../ledger/balance.ts";
import { assertMediaSlots } from "../limits/slots.ts";
import { countText } from "../text/counted-text.ts";
import { type ImageFields, imagePlan } from "./image-plan.ts";
import type { JobKind, JobPlan } from "./types.ts";
import { type VideoFields, videoPlan } from "./video-plan.ts";

type Planning = Pick<Context, "db" | "catalog" | "config" | "providers" | "publicUrl">;

/** `POST /v1/images/generations`. */
export async function planImageJob(context: Planning, caller: Caller, fields: { model: string } & ImageFields): Promise<JobPlan> {
  const prompt = readPrompt(fields.prompt);
  const plan = imagePlan(context.config, imageModel(context.catalog, fields.model), { ...fields, prompt });
  return await allowed(context, caller, plan);
}

/** `POST /v1/images/edits`: as planImageJob, of a model that edits images, with a mask where it takes one. */
export async function planImageEdit(
  context: Planning,
  caller: Caller,
  fields: Omit<{ model: string } & ImageFields, "extra" | "image_url" | "image_urls">,
  sent: { images: number; mask: boolean },
): Promise<JobPlan> {
  const prompt = readPrompt(fields.prompt);
  const { catalog } = context;
  const asked = imageModel(catalog, fields.model);
  const { id, media } = asked.model;
  if (!media.takesImages) failParameter("model", `${cutId(id)} does not edit images${modelsThat(catalog, edits)}`);
  if (sent.mask && !media.supportsMask) failParameter("mask", `${cutId(id)} takes no mask${modelsThat(catalog, masks)}`);
  return await allowed(context, caller, imagePlan(context.config, asked, { ...fields, prompt }, sent.images));
}

/** `POST /v1/images/variations`: as planImageEdit, of a model that makes variations; there is no prompt, and one image. */
export async function planImageVariation(
  context: Planning,
  caller: Caller,
  fields: { model: string } & Pick<ImageFields, "n" | "size">,
): Promise<JobPlan> {
  const { catalog } = context;
  const asked = imageModel(catalog, fields.model);
  const { id, media } = asked.model;
  if (!media.supportsVariations) failParameter("model", `${cutId(id)} makes no variations of images${modelsThat(catalog, varies)}`);
  const { n, size } = fields;
  const plan = imagePlan(context.config, asked, { n, size, prompt: "" }, 1);
  if (plan.request.kind === "image") plan.request.order.isVariation = true;
  return await allowed(context, caller, plan);
}

const varies = ({ type, media }: Model) => type === "image" && media.supportsVariations;
const edits = ({ type, media }: Model) => type === "image" && media.takesImages;
const masks = (model: Model) => edits(model) && model.media.supportsMask;

/** `POST /v1/videos/generations`. */
export async function planVideoJob(context: Planning, caller: Caller, fields: { model: string } & VideoFields): Promise<JobPlan> {
  const prompt = readPrompt(fields.prompt);
  const plan = videoPlan(context.config, videoModel(context.catalog, fields.model), { ...fields, prompt });
  return await allowed(context, caller, plan);
}

/** `POST /v1/genmedia/run`: an image or a video, by the model's type. `input`: the fields of either endpoint; null: absent. */
export async function planGenmediaJob(
  context: Planning,
  caller: Caller,
  model: string,
  input: ImageFields & VideoFields,
): Promise<JobPlan> {
  const fields = { ...input, prompt: readPrompt(input.prompt) };
  const asked = servedModelOf(context.catalog, model, ["image", "video"]);
  const plan = asked.model.type === "video" ? videoPlan(context.config, asked, fields) : imagePlan(context.config, asked, fields);
  return await allowed(context, caller, plan);
}

async function allowed(context: Planning, caller: Caller, plan: JobPlan): Promise<JobPlan> {
  await assertMayUse(context, caller, plan.model);
  await assertSlots(context, caller, plan.request.kind);
  assertCanBeMade(context, plan.model);
  return plan;
}

async function assertSlots({ db, catalog }: Planning, caller: Caller, kind: JobKind): Promise<void> {
  // Funded a moment ago: the cached caller is older than the deposit that lifts its tier.
  const known = caller.purchased > 0n ? caller : ((await readBalance(db, caller.accountId)) ?? caller);
  assertMediaSlots(catalog.tiers, tierOf(catalog, known), kind);
}

/** Refuses at once a job that would only wait and then find no provider whose protocol can make it. */
function assertCanBeMade({ providers }: Planning, { type, routes }: Model): void {
  const adapters = type === "video" ? providers.videos : providers.images;
  if (routes.every(({ provider }) => adapters[provider.protocol] === undefined)) fail("provider_error");
}

// The prompt of an image or a video: 1 to 4000 characters, counted after Unicode NFC normalisation, without anything that the database can't
// store.

const charactersMax = 4000;

/** Returns the normalised prompt. Fails with invalid_prompt. */
export function readPrompt(prompt: string | null | undefined): string {
  if (prompt === undefined || prompt === null) failPrompt("it is missing");
  if (prompt.includes("\0")) failPrompt("it holds a NUL character");
  const { text, characters } = countText(prompt, charactersMax);
  if (characters > charactersMax) failPrompt(`it has more than ${charactersMax} characters`);
  if (text.trim() === "") failPrompt("it is empty");
  return text;
}

function failPrompt(reason: string): never {
  fail("invalid_prompt", { param: "prompt", text: { reason } });
}

// Which model a media request names: each of the three APIs refuses unknown ids and models of another kind with its own codes
// (docs/behaviour/media-jobs.md#submit).

/** Fails with invalid_model, whatever is wrong with the id. */
function imageModel(catalog: Catalog, id: string): Resolved {
  const found = findServed(catalog, id);
  if (found === null || found.model.type !== "image") failInvalidModel(catalog, id, "image");
  return found;
}

/** Fails with model_not_found for an id that is not served, with invalid_model for a model that makes no videos. */
function videoModel(catalog: Catalog, id: string): Resolved {
  const found = servedModel(catalog, id, "video");
  if (found.model.type !== "video") failInvalidModel(catalog, id, "video");
  return found;
}

/** While no video model is served, every request for a video fails with model_not_found, whatever its body. */
export function assertVideosAreServed(catalog: Catalog): void {
  if (catalog.listed.some(({ type }) => type === "video")) return;
  fail("model_not_found", { param: "model", text: { model: "asked for" }, extra: suggestModels(catalog, "", "video") });
}

function failInvalidModel(catalog: Catalog, id: string, type: "image" | "video"): never {
  const article = type === "image" ? "an image" : "a video";
  const elsewhere = findServed(catalog, id);
  const state: Record<string, string> =
    elsewhere === null ? stateText(resolveModel(catalog, id)?.model ?? null) : { endpoint: endpointOf(elsewhere.model)! };
  const text = { model: cutId(id), type: article, ...state };
  fail("invalid_model", { param: "model", text, extra: suggestModels(catalog, id, type) });
}
