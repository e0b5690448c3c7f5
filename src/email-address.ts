// What an email address is, wherever one comes from: what the contract takes (spec/account.tsp, Email). ASCII alone, and nothing that
// could end a header or a command of a mail, or begin a second address.

/** The contract's own pattern. */
export const emailPattern = /^[!#-'*+\-./0-9=?A-Z^-~]+@[!#-'*+\-./0-9=?A-Z^-~]+$/;
const lengthMax = 254;

export function isEmailAddress(text: string): boolean {
  return text.length <= lengthMax && emailPattern.test(text);
}

/** Addresses that differ in nothing else are one. Here and not in SQL, whose lower() depends on the database's language. */
export function foldEmail(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
