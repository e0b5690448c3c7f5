// Answers that are plain text, such as subtitles.
import type { Watch } from "./watch.ts";

/** For routes whose answer may be text. */
export async function text(response: Response, watched: Watch, type: string): Promise<string | undefined> {
  if (type.startsWith("text/html")) return undefined;
  watched.start();
  const whole = await response.text();
  watched.end();
  return whole;
}
