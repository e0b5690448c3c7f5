// Keeps audio that was made, under a name that nobody guesses. What it is follows from the format that was ordered: raw samples can't be
// told by their bytes, and a page that a provider sent instead is served as audio all the same (src/server/media-files.ts: nosniff).
import { writeFile } from "node:fs/promises";
import { contentTypeOf } from "./kinds.ts";
import type { WithTempFile } from "./temp-files.ts";
import type { Media, Store } from "./types.ts";

interface KeepAudioParts {
  store: Store;
  withTempFile: WithTempFile;
}

export function keepAudio(
  { store, withTempFile }: KeepAudioParts,
  { bytes, name: stem, extension }: Parameters<Media["keepAudio"]>[0],
): Promise<{ name: string }> {
  const name = `${stem}.${extension}`;
  return withTempFile(async (path) => {
    const contentType = contentTypeOf(name);
    if (contentType === null) throw new Error("a file's name breaks the rule of KeepOrder");
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
    await store.put(name, path, contentType);
    return { name };
  });
}
