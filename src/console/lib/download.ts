// Saves an answer that is a document. The SDK reads these addresses as JSON, so this is made without it.
import { sessionHeaders } from "./api.ts";
import { gatewayUrl } from "./place.ts";
import { saveFile } from "./save-file.ts";

interface Download {
  path: string;
  accept: string;
  name: string;
  /** Asks the same of the SDK, which throws what the catalogue says of the failure. */
  again: () => Promise<unknown>;
}

export async function download({ path, accept, name, again }: Download): Promise<void> {
  const reply = await window.fetch(`${gatewayUrl}${path}`, { headers: { ...sessionHeaders(), accept } });
  if (!reply.ok) {
    await again();
    throw new Error("the document could not be read.");
  }
  saveFile(name, await reply.blob());
}
