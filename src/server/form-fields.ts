// A form's texts as the fields that the contract names: typed strictly, as parameters are, and judged by the generated validator, as JSON is.
import type { Form } from "../../generated/operations.ts";
import type { Validate } from "../../generated/validators.js";
import { fail } from "../errors/fail.ts";
import { failInvalid } from "./invalid.ts";
import { nulDetails } from "./parse-json.ts";
import type { SentForm } from "./read-form.ts";
import { coerceOnce } from "./read-parameters.ts";

/** Without the file. Throws missing_parameter, invalid_parameter or a field's own code. */
export function formFields({ texts, file }: SentForm, { fields }: Form, validate: Validate | undefined): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const field of fields) {
    // Form libraries send what was left empty; that means it wasn't given.
    const given = texts.get(field.name)?.filter((text) => text !== "") ?? [];
    if (given.some((text) => text.includes("\0"))) fail("invalid_parameter", nulDetails(field.name));
    if (given.length > 0) read[field.name] = field.type === "array" ? given : coerceOnce(field, given);
  }
  if (validate !== undefined && !validate(file === null ? read : { ...read, file: "" })) failInvalid(validate.errors ?? []);
  return read;
}
