// Checks, by their form, the addresses of files that a caller gives and a provider loads. src/media checks again, after resolving them,
// the addresses that the gateway itself loads.
import { failParameter } from "../errors/fail.ts";
import { hostOf } from "./address.ts";
import { isPublicHost } from "./public-host.ts";

/** Longer than any signed address; they are kept with the job. */
const lengthMax = 8192;

export interface AddressPolicy {
  /** Private hosts pass, for tests; HTTPS it must be all the same. */
  allowPrivateUrls: boolean;
}

/** The address as a reader of addresses writes it, so that what was checked is what is loaded. Fails with invalid_parameter naming `param`. */
export function readSourceAddress(text: string, param: string, { allowPrivateUrls }: AddressPolicy): string {
  if (text.length > lengthMax) failParameter(param, `it must have at most ${lengthMax} characters`);
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:") return failParameter(param, "it must be an HTTPS address");
  if (url.username !== "" || url.password !== "") failParameter(param, "it must carry no user name or password");
  if (!isPublicHost(hostOf(url), { allowPrivate: allowPrivateUrls })) failParameter(param, "it must name a public host");
  return url.href;
}

/** Up to the end of its host, an address that every reader understands alike: no blanks, no escapes, no second `@`, no backslash. */
const plainHost = /^https:\/\/[^\s\p{Cc}/?#\\@%]+(?:[/?#]|$)/iu;

/** An address that is forwarded as it was sent: the provider's own reader must find the host that was checked here. Data URLs pass. */
export function assertSentAddress(text: string, param: string, policy: AddressPolicy): void {
  if (/^data:/i.test(text)) return;
  if (!/^https:/i.test(text)) failParameter(param, "it must be an https:// address or a data URL");
  readSourceAddress(text, param, policy);
  if (!plainHost.test(text)) failParameter(param, "its host must be written plainly");
}
