// What an external provider sends a person back with. It leaves the address bar, and so the history, before anything else runs. It is read
// here and not by the router, which takes a code that looks like a number for one.
const isReturn = /\/sign-in\/[^/]+$/.test(location.pathname);
const sent = new URLSearchParams(isReturn ? location.search : "");
if (isReturn) history.replaceState(history.state, "", location.pathname);

export interface Returned {
  code: string | null;
  state: string | null;
  /** Why the provider did not confirm, as OAuth's word: `access_denied` where the person declined. */
  error: string | null;
}

export function takeReturned(): Returned {
  return { code: sent.get("code"), state: sent.get("state"), error: sent.get("error") };
}
