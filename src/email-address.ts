// What an email address is, wherever one comes from: what the contract takes (spec/account.tsp, Email), and nothing that could end a
// header or a command of a mail, or begin a second address.

/** The contract's own pattern. */
export const emailPattern = /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+$/;
const lengthMax = 254;

export function isEmailAddress(text: string): boolean {
  return text.length <= lengthMax && emailPattern.test(text) && !/\p{Cc}/u.test(text);
}
