// The address that signs up, kept for this tab alone, so that the code is all that has to be entered. No secret is kept.
const name = "console-email";

export function keepEmail(email: string): void {
  try {
    sessionStorage.setItem(name, email);
  } catch {
    // Then the next page asks for it.
  }
}

export function keptEmail(): string {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}
