// What the models of a fal queue are given (WIRE.md 12, "Input names"). Which values they are is decided before.
import type { ClipOrder, PictureOrder } from "../media.ts";

type Input = Record<string, unknown>;

/**
 * Models read either `image_size` or `aspect_ratio`, and either `image_url` or `image_urls`, and pass over what they don't know: they get
 * both, saying the same.
 */
export function pictureInput(order: PictureOrder): Input {
  const { prompt, count, size, aspect, quality, references, extra } = order;
  return {
    ...extra,
    prompt,
    num_images: count,
    image_size: { width: size.width, height: size.height },
    ...(aspect !== null && { aspect_ratio: aspect }),
    ...(quality !== null && { quality }),
    ...(references.length > 0 && { image_url: references[0], image_urls: references }),
  };
}

/** A duration is text there. */
export function clipInput({ prompt, firstFrame, soundTrack, seconds, aspect, extra }: ClipOrder): Input {
  return {
    ...extra,
    prompt,
    duration: String(seconds),
    ...(aspect !== null && { aspect_ratio: aspect }),
    ...(firstFrame !== null && { image_url: firstFrame }),
    ...(soundTrack !== null && { audio_url: soundTrack }),
  };
}
