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

/** What follows the last @. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Hosts that ignore dots before the @, under either name. */
const dotless = new Set(["gmail.com", "googlemail.com"]);

/**
 * One text for all addresses that are known to lead to one mailbox: without a tag after a plus sign, which most hosts drop, and where it
 * makes no difference without dots. Not an address to write to: a host may know the plus sign as a part of its users' names.
 */
export function mailboxOf(address: string): string {
  const folded = foldEmail(address);
  const domain = domainOf(folded).replace(/\.+$/, "");
  const local = folded.slice(0, folded.lastIndexOf("@"));
  const untagged = local.split("+")[0] || local;
  return dotless.has(domain) ? `${untagged.replaceAll(".", "")}@gmail.com` : `${untagged}@${domain}`;
}

/** Addresses that differ in nothing else are one. Here and not in SQL, whose lower() depends on the database's language. */
export function foldEmail(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
