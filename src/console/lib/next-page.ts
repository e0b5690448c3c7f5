// Where a sign-in leads: only to paths of the console; kept for this tab alone while an external provider signs the person in.

/** `next` of a sign-in; anything that is no path of the console leads home. */
export function ownPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) && !next.includes("\\") ? next : "/";
}

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
