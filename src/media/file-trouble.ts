// Why a provider's file could not be loaded, for the operator: the sentence for customers names neither the address nor the error.
import { socketTrouble } from "../providers/errors/trouble.ts";
import type { Trouble } from "../providers/errors/upstream-error.ts";
import { MediaFault } from "./types.ts";

export function fileTrouble({ message, cause }: MediaFault): Trouble {
  const beneath = cause instanceof Error && !(cause instanceof MediaFault) ? ` ${socketTrouble(cause).detail}` : "";
  return { cause: "file", detail: message + beneath };
}
