// The source images of a picture (gateway-api.md "Images" image_url, image_urls): ignored by models that read none, demanded by the edit
// model, counted against the model's most.
import type { Model } from "../catalog/types.ts";
import { fail } from "../errors/fail.ts";
import { type AddressPolicy, readSourceAddress } from "../network/source-address.ts";

export interface ReferenceFields {
  image_url?: string | null;
  /** Wins over `image_url`, where it holds any. */
  image_urls?: readonly string[] | null;
}

/** Fails with image_url_required, too_many_references or invalid_parameter. */
export function readReferences(
  { id, media }: Pick<Model, "id" | "media">,
  { image_url: one, image_urls: several }: ReferenceFields,
  policy: AddressPolicy,
): string[] {
  if (!media.takesImages) return [];
  const given = several !== undefined && several !== null && several.length > 0 ? several : null;
  const addresses = given ?? (one === undefined || one === null ? [] : [one]);
  if (media.requiresImage && addresses.length === 0) fail("image_url_required", { param: "image_url", text: { model: id } });
  if (addresses.length > media.maxReferences)
    fail("too_many_references", { param: "image_urls", text: { count: addresses.length, model: id, max: media.maxReferences } });
  return addresses.map((address, index) => readSourceAddress(address, given === null ? "image_url" : `image_urls[${index}]`, policy));
}
