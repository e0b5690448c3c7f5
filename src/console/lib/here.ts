// Addresses within the console that came from outside: only paths of our own are followed.

/** `next` of a sign-in; anything that is no path of the console leads home. */
export function ownPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) && !next.includes("\\") ? next : "/";
}
