// The session's cookie as text, in and out, and the cookie of a browser that begins a sign-in. Sessions themselves are in sessions.ts.
const cookieName = "__Host-svc_session";
const attributes = "Path=/; Secure; HttpOnly; SameSite=Lax";

/** The longest that browsers keep a cookie. Use extends a session without a new cookie; the server knows when it ends. */
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
    // Trims spaces and tabs only: other white space before a name would bypass what browsers guarantee for its prefix.
    const [name, value] = pair.replace(/^[ \t]+|[ \t]+$/g, "").split("=", 2) as [string, string | undefined];
    if (name === cookie) return value;
  }
  return undefined;
}
