// The token of a mail's link: behind the #, which browsers never send. It leaves the address bar, and so the history, before anything else
// runs; a page asks for it here.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token !== null) history.replaceState(history.state, "", location.pathname + location.search);

export function takeToken(): string | null {
  return token;
}
