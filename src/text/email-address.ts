// Validates email addresses, by the contract's rules (spec/account/account.tsp, Email): ASCII only, and nothing that could end a header
// or a command of a mail, or begin a second address.

/** The contract's own pattern. */
export const emailPattern = /^[!#-'*+\-./0-9=?A-Z^-~]+@[!#-'*+\-./0-9=?A-Z^-~]+$/;
const lengthMax = 254;

export function isEmailAddress(text: string): boolean {
  return text.length <= lengthMax && emailPattern.test(text);
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const domainMax = 253;

/** A name of the public DNS (RFC 1035, 1123): two labels at least, so no host of a local network, and no IP address. */
export function isDomain(text: string): boolean {
  const labels = text.split(".");
  return text.length <= domainMax && labels.length >= 2 && labels.every((one) => label.test(one)) && /^[a-z]/i.test(labels.at(-1)!);
}

const localMax = 64;

/** Whether a new account may have it, by the contract's rules (NewEmail): its domain may be one of the public DNS. */
export function isNewEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  return isEmailAddress(text) && at <= localMax && isDomain(text.slice(at + 1));
}

/** The part after the last @, without a dot at its end, which names the same domain. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).replace(/\.+$/, "");
}

/** Hosts that ignore dots before the @, under either name. */
const dotless = new Set(["gmail.com", "googlemail.com"]);

/**
 * The same text for all addresses that are known to share a mailbox: without a tag after a plus sign, which most hosts drop, and without
 * dots where a host ignores them. Not an address to send to: a host may treat the plus sign as part of a name.
 */
export function mailboxOf(address: string): string {
  const folded = foldEmail(address);
  const domain = domainOf(folded);
  const local = folded.slice(0, folded.lastIndexOf("@"));
  const untagged = local.split("+")[0] || local;
  return dotless.has(domain) ? `${untagged.replaceAll(".", "")}@gmail.com` : `${untagged}@${domain}`;
}

/** Addresses that differ only in case are the same. Done here and not in SQL, whose lower() depends on the database's locale. */
export function foldEmail(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
