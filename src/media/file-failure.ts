// Why a provider's file could not be loaded, for the operator: the sentence for customers names neither the address nor the error.
import { socketFailure } from "../providers/errors/failure.ts";
import type { Failure } from "../providers/errors/upstream-error.ts";
import { MediaFault } from "./types.ts";

export function fileFailure({ message, cause }: MediaFault): Failure {
  const beneath = cause instanceof Error && !(cause instanceof MediaFault) ? ` ${socketFailure(cause).detail}` : "";
  return { cause: "file", detail: message + beneath };
}
