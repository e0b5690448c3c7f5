// How often somebody without an account may ask, by the address of the client and by the email that is asked about.
import type { Context } from "../context.ts";

interface PerMinute {
  client: number;
  /** Absent: no email is asked about. */
  email?: number;
}

const perMinute = {
  "sign-in": { client: 60, email: 10 },
  "sign-up": { client: 30, email: 5 },
  resend: { client: 30, email: 5 },
  forgot: { client: 30, email: 5 },
  verify: { client: 20, email: 20 },
  reset: { client: 20 },
  // Nobody guesses at a provider's signature; this bounds the calls to providers.
  "external start": { client: 120 },
  external: { client: 120 },
} as const satisfies Record<string, PerMinute>;

/** 429 rate_limit_exceeded. The client first: one that asks too much must not use up what an address may. */
export async function throttle(
  { limits }: Pick<Context, "limits">,
  what: keyof typeof perMinute,
  { client, email }: { client: string; email?: string },
): Promise<void> {
  const max: PerMinute = perMinute[what];
  await limits.throttle(`${what} client`, client, max.client);
  if (email !== undefined && max.email !== undefined) await limits.throttle(`${what} email`, email.toLowerCase(), max.email);
}
