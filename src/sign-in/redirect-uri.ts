// Where a provider may send the browser back to. Which addresses are this gateway's the provider knows: the operator registered them there.
import { failParameter } from "../errors/fail.ts";

/** RFC 8252 7.3: an app on the user's own machine has no certificate. */
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function assertRedirectUri(text: string): void {
  const url = URL.parse(text);
  if (url === null || !isSafe(url))
    failParameter("redirect_uri", "it must be https, or http on this machine (localhost, 127.0.0.1, [::1])");
  if (text.includes("#") || url.username !== "" || url.password !== "")
    failParameter("redirect_uri", "it must hold no fragment and no credentials");
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && loopback.has(hostname));
}
