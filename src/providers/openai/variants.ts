// Writes a request's body as the host of a variant reads it; src/catalog/variants.ts lists the variants.
import { renameMembers } from "../json/splice.ts";
import type { JsonText } from "../json/text.ts";
import type { Variant } from "../types.ts";

/** A request's body as the host reads it. */
export function inVariant<Text extends JsonText>(text: Text, variant: Variant | undefined): Text {
  return variant === undefined ? text : renameMembers(text, variant.fields);
}
