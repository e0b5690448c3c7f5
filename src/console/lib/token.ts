// What a link carries behind the #, which browsers never send: the token of a mail, or a shared conversation. It leaves the address bar, and
// so the history, before anything else runs; pages ask for it here.
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
