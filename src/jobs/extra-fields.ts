// What of a caller's `extra` goes to the provider: everything but what sets the price, what is moderated, who is called and how the answer
// comes back. Those have fields of their own, or are the gateway's business (gateway-api.md "Images" extra).
import { failParameter } from "../fail.ts";

const bytesMax = 65_536;

/** Without case, `_` and `-`, since providers spell them differently. */
const withheld = new Set([
  // how many
  ...["n", "count", "batchsize", "num", "numoutputs", "numsamples", "samples", "imagecount", "maximages", "numresults"],
  // how large, and in which quality
  ...["size", "width", "height", "aspectratio", "resolution", "megapixels", "upscale", "upscalefactor", "scale", "imagesize", "outputsize"],
  ...["quality", "qualitytier", "speed", "renderingspeed", "mode", "tier"],
  // how long
  ...["duration", "durations", "durationseconds", "seconds", "length", "fps", "framespersecond", "numframes", "framecount"],
  // whose work, and how it comes back
  ...[
    "model",
    "modelid",
    "modelname",
    "endpoint",
    "stream",
    "syncmode",
    "responseformat",
    "webhook",
    "webhookurl",
    "falwebhook",
    "callbackurl",
  ],
]);
/** Switches of a provider's own moderation, whatever they are called. */
const moderationName = /safety|moderation|nsfw|contentfilter|uncensored|safemode|persongeneration/;
/** What a picture is told to show, in every spelling; what it must not show is nobody's harm. */
const promptName = /^(?!.*negative).*prompts?\d*$/;
/** Source images, masks and frames in every spelling: `image`, `images`, `image_url`, `mask_image_url`, `reference_images`, `num_images`. */
const sourceName = /(image|mask|frame|reference|video|audio)s?(url|uri|data|base64|b64|b64json|input)?s?$/;

/** Fails with invalid_parameter where it is too large to be kept with the job. */
export function readExtra(extra: Record<string, unknown> | null | undefined): Record<string, unknown> {
  if (extra === null || extra === undefined) return {};
  return pick(extra, (key, value) => {
    const name = key.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    if (promptName.test(name)) return typeof value === "boolean"; // enhance_prompt and its like are switches
    return !withheld.has(name) && !moderationName.test(name) && !sourceName.test(name);
  });
}

/** Only the keys that the model says it reads (OPERATOR.md `extra_keys`). */
export function readNamedExtra(extra: Record<string, unknown> | null | undefined, keys: readonly string[]): Record<string, unknown> {
  return extra === null || extra === undefined ? {} : pick(extra, (key) => keys.includes(key));
}

function pick(extra: Record<string, unknown>, isRead: (key: string, value: unknown) => boolean): Record<string, unknown> {
  const read = Object.fromEntries(Object.entries(extra).filter(([key, value]) => isRead(key, value)));
  if (Buffer.byteLength(JSON.stringify(read)) > bytesMax) failParameter("extra", `it must have at most ${bytesMax / 1024} KB`);
  return storable(read) as Record<string, unknown>;
}

/** The database keeps no half of a surrogate pair. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), storable(inner)]));
}
