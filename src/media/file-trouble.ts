// What kept a provider's file from being loaded, for the operator: the sentence for customers names no address and no error.
import { socketTrouble } from "../providers/errors/trouble.ts";
import type { Trouble } from "../providers/errors/upstream-error.ts";
import { MediaFault } from "./types.ts";

export function fileTrouble({ message, cause }: MediaFault): Trouble {
  const beneath = cause instanceof Error && !(cause instanceof MediaFault) ? ` ${socketTrouble(cause).detail}` : "";
  return { cause: "file", detail: message + beneath };
}
