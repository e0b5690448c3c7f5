// The top-up that this tab has begun, so that the page can say how it ended. An id opens nothing without the session.
const name = "console-topup";

export function keepTopup(id: string): void {
  try {
    sessionStorage.setItem(name, id);
  } catch {
    // Then the ledger alone shows it.
  }
}

export function keptTopup(): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

export function forgetTopup(): void {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}
