// Signatures of thinking blocks: made here, and known again when a client brings them back.
// A signature vouches for its block's text, as a real one does; where the text was left out it vouches for itself.
import { digest } from "../seed.ts";

/** What redacted thinking is made from. */
const sealed = "redacted thinking";

export function signThinking(text: string): string {
  const content = digest(text);
  return Buffer.from(`simulator:${content}:${digest(`signed:${content}`)}`).toString("base64");
}

export function isOurSignature(signature: string, text: string): boolean {
  const [maker, content = "", seal] = Buffer.from(signature, "base64").toString("latin1").split(":");
  return maker === "simulator" && seal === digest(`signed:${content}`) && (text === "" || content === digest(text));
}

export function redactedData(): string {
  return signThinking(sealed);
}

export function isOurRedacted(data: unknown): boolean {
  return data === redactedData();
}
