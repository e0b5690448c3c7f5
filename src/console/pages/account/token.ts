// The token of a mail's link: behind the #, which browsers never send. It leaves the address bar, and so the history, at once.
let taken: string | null | undefined;

export function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) {
    taken = token;
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return taken ?? null;
}
