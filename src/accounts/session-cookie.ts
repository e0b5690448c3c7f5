// The session's cookie as text, in and out. What a session is stands in sessions.ts. Beside it the cookie of a browser that begins a sign-in.
const cookieName = "__Host-svc_session";
const attributes = "Path=/; Secure; HttpOnly; SameSite=Lax";

/** As long as browsers keep any cookie. A session lives on by being used, which no reply tells the cookie; the server knows its end. */
const keptSec = 400 * 24 * 60 * 60;

export function sessionCookie(token: string): string {
  return `${cookieName}=${token}; ${attributes}; Max-Age=${keptSec}`;
}

/** As a request sends it. */
export function sessionCookiePair(token: string): string {
  return `${cookieName}=${token}`;
}

export function clearedSessionCookie(): string {
  return `${cookieName}=; ${attributes}; Max-Age=0`;
}

/** The session's token in a Cookie header. */
export function readSessionCookie(header: string | undefined): string | undefined {
  return readCookie(header, cookieName);
}

const signInCookieName = "__Host-svc_signin";

export function signInCookie(browser: string, keptSec: number): string {
  return `${signInCookieName}=${browser}; ${attributes}; Max-Age=${keptSec}`;
}

export function readSignInCookie(header: string | undefined): string | undefined {
  return readCookie(header, signInCookieName);
}

function readCookie(header: string | undefined, cookie: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    // Space and tab alone: other white space before the name would get past what the browser grants to its prefix.
    const [name, value] = pair.replace(/^[ \t]+|[ \t]+$/g, "").split("=", 2) as [string, string | undefined];
    if (name === cookie) return value;
  }
  return undefined;
}
