// What must leave the address bar, and so the history, before anything else runs; pages ask for it here. What a link carries behind the #,
// which browsers never send: the token of a mail, or a shared conversation. And what an external provider sends a person back with: read
// here and not by the router, which takes a code that looks like a number for one.

export const chat = "chat";

const token = takeOff("token");
const firstChat = takeOff(chat);

export function takeToken(): string | null {
  return token;
}

/** The conversation that the page was opened with. */
export function openedChat(): string | null {
  return firstChat;
}

export function takeOff(name: string): string | null {
  const value = new URLSearchParams(location.hash.slice(1)).get(name);
  if (value !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return value;
}

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
