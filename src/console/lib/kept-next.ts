// Where a person was on the way to, kept for this tab alone while an external provider signs them in.
const name = "console-next";

export function keepNext(next: string | undefined): void {
  try {
    if (next === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, next);
  } catch {
    // Then the sign-in leads to Home.
  }
}

export function takeNext(): string | undefined {
  try {
    const next = sessionStorage.getItem(name) ?? undefined;
    sessionStorage.removeItem(name);
    return next;
  } catch {
    return undefined;
  }
}
