// The client of the public API. The session is a cookie that scripts can't read; what proves that a change comes from our own page, the
// CSRF token, is held in memory alone.
import { type Client, createClient, getSession, type Session, SvcError, type User } from "svc-sdk/functions";
import { takeEarly } from "./early.ts";
import { gatewayUrl } from "./place.ts";

const headers: Record<string, string> = {};

export const api: Client = createClient({
  ...{ baseURL: gatewayUrl, maxRetries: 1, maxRetryDelay: 5_000, timeout: 60_000, headers },
  fetch: async (url, init) => (await takeEarly(url, init)) ?? fetch(url, init),
});

/** `token` comes with every sign-in and every look at the session. */
export function setCsrfToken(token: string): void {
  headers["x-svc-csrf"] = token;
}

/** The workspace that requests act in; null: the person's own. */
export function setWorkspaceHeader(id: string | null): void {
  if (id === null) delete headers["x-workspace-id"];
  else headers["x-workspace-id"] = id;
}

export function workspaceHeader(): string | null {
  return headers["x-workspace-id"] ?? null;
}

/** For the few requests that are made without the SDK. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  return headers;
}

let person: string | null = null;

/** Whether the page was another person's before: then its memory holds what is not this one's to see. */
export function isOtherPerson({ id }: User): boolean {
  const other = person !== null && person !== id;
  person = id;
  return other;
}

export async function loadSession(): Promise<Session> {
  const session = await getSession(api);
  setCsrfToken(session.csrf_token);
  person ??= session.user.id;
  return session;
}

/** Makes a change. Where another tab has signed in since, the token is another one: then once more with that. */
export async function change<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!SvcError.is(error, "csrf_failed")) throw error;
    await loadSession();
    return make();
  }
}

/** A key that makes a request safe to repeat. Not crypto.randomUUID, which pages of plain HTTP do not have. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
