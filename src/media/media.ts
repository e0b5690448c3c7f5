// Builds what src/media gives from the configuration.
import type { Config } from "../config.ts";
import type { Media } from "./types.ts";

export function openMedia(config: Pick<Config, "dataDir" | "blobUrl" | "allowPrivateUrls">): Media {
  const missing = (): never => {
    throw new Error(`not built: ${config.dataDir}`);
  };
  const store = { put: missing, open: missing, size: missing, remove: missing, close: () => Promise.resolve() };
  return { keep: missing, fetchReference: missing, store, close: () => store.close() };
}
