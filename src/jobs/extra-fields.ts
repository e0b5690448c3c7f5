// Which members of a caller's `extra` reach the provider: all except those that set the price, are moderated, choose the model or the
// provider, or change how the answer comes back (docs/behaviour/media-jobs.md#extra). Names are compared without case, `_` and `-`, since
// providers spell them differently.
import type { Model } from "../catalog/types.ts";
import { failParameter } from "../errors/fail.ts";

const bytesMax = 65_536;

/** Never passed on: the request's own fields decide. */
const owned = new Set([
  // count
  ...["n", "num", "count", "quantity", "batch", "batchsize", "batchcount", "niter"],
  // size
  ...["size", "sizepreset", "imagesize", "outputsize", "aspectratio", "scale"],
  // length
  ...["duration", "durations", "durationms", "durationseconds", "seconds", "length", "fps", "framespersecond", "numframes", "framecount"],
  // model and transport
  ...["model", "modelid", "modelname", "endpoint", "stream", "syncmode", "responseformat"],
  ...["webhook", "webhookurl", "falwebhook", "callbackurl"],
  // envelopes in which some hosts take all fields
  ...["input", "inputs", "parameters", "instances", "payload", "messages", "contents"],
]);
/** `num_samples`, `numberOfResults`, `sampleCount`, `max_images`, `outputs`. */
const countName =
  /^(n|num|numbers?|max|total)?(of)?(image|picture|sample|output|result|variation|generation|candidate)s?(count|num|number)?s?(perprompt)?$/;
/** `target_width`, `output_megapixels`. */
const sizeName = /(width|height|megapixels?)$/;
/** Switches of a provider's own moderation, in any spelling. */
const moderationName = /safety|moderation|nsfw|contentfilter|censor|checker|guardrail|safemode|persongeneration/;
/** What an image is to show, in every spelling. Negative prompts do no harm. */
const promptName = /^(?!.*negative).*prompts?(text|s?\d+)?$/;
/** Source images, masks and frames in every spelling: `image`, `images`, `image_url`, `mask_image_url`, `reference_images`, `img`, `url`. */
const sourceName =
  /^urls?$|(image|img|photo|picture|mask|frame|reference|video|audio|source|file)s?(url|uri|data|base64|b64|b64json|input)?s?$|(image|img|photo|picture|mask|frame|reference|video|audio|source|file|input).*(url|uri|base64|b64)s?$/;

/** Tiers, engines and versions: what providers charge more for, at the same size. */
const dearNames = new Set([
  ...["hd", "quality", "qualitytier", "speed", "renderingspeed", "mode", "tier", "servicetier", "priority"],
  ...["engine", "version", "variant", "modelvariant", "modelversion"],
]);
/**
 * `output_resolution`, `enable_upscale`; `num_inference_steps`; `input_fidelity`; `enable_web_search`, `grounding`, `tools`; `thinking_level`; and
 * what makes several images of one: `sequential_image_generation`, `num_layers`.
 */
const dearName =
  /resolution$|upscal|upsampl|hires|highres|superres|steps?$|fidelity|search|grounding|tools?$|thinking|reasoning|sequential|^(n|num|max)?layers?$/;

/** What only some providers charge more for, by the model's id there. */
const dearOfFamily: readonly { family: RegExp; names: ReadonlySet<string> }[] = [
  // A vector costs twice what a raster image does, and the style decides which it is.
  { family: /recraft/i, names: new Set(["style", "substyle", "styleid"]) },
];

type Reader = Pick<Model, "routes"> & { media: Pick<Model["media"], "extraKeys" | "withheld"> };

/**
 * For an image: without what sets a price, and without what the operator withholds; or of what the operator lists, all that the request's own
 * fields do not decide. Fails with invalid_parameter where it is too large to be stored with the job.
 */
export function readExtra(extra: Record<string, unknown> | null | undefined, { routes, media }: Reader): Record<string, unknown> {
  if (extra === null || extra === undefined) return {};
  const dear = new Set(media.withheld.map(folded));
  for (const { family, names } of dearOfFamily)
    if (routes.some(({ model }) => family.test(model))) for (const name of names) dear.add(name);
  return pick(extra, (key, value) => {
    const name = folded(key);
    if (media.extraKeys !== null && !media.extraKeys.includes(key)) return false;
    if (promptName.test(name)) return typeof value === "boolean" && !dear.has(name); // enhance_prompt and its like are switches
    if (owned.has(name) || [countName, sizeName, moderationName, sourceName].some((pattern) => pattern.test(name))) return false;
    return media.extraKeys !== null || !(dear.has(name) || dearNames.has(name) || dearName.test(name));
  });
}

function folded(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Only the keys that the catalog lists for the model (`extra_keys`). */
export function readNamedExtra(extra: Record<string, unknown> | null | undefined, keys: readonly string[]): Record<string, unknown> {
  return extra === null || extra === undefined ? {} : pick(extra, (key) => keys.includes(key));
}

function pick(extra: Record<string, unknown>, isRead: (key: string, value: unknown) => boolean): Record<string, unknown> {
  const read = Object.fromEntries(Object.entries(extra).filter(([key, value]) => isRead(key, value)));
  if (Buffer.byteLength(JSON.stringify(read)) > bytesMax) failParameter("extra", `it must have at most ${bytesMax / 1024} KB`);
  return storable(read) as Record<string, unknown>;
}

/** The database stores no half of a surrogate pair. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), storable(inner)]));
}
