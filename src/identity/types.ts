// What every external identity provider can do. Plain data in and out; nothing throws: a provider that does not confirm, or does not
// answer, is an answer.
import type { GroupRole } from "../text/group-list.ts";

export interface IdentityProvider {
  name: string;
  /** The address to open in the browser. */
  authorizationUrl(flow: Flow & { state: string }): Promise<Answer<string>>;
  proveByCode(flow: Flow, code: string): Promise<Answer<Identity>>;
  /** Null: the provider issues no identity tokens. */
  proveByIdToken: ((flow: Flow, idToken: string) => Promise<Answer<Identity>>) | null;
}

/** A sign-in in progress, as it was started. */
export interface Flow {
  redirectUri: string;
  nonce: string;
  /** PKCE's secret, which never goes to the browser. */
  codeVerifier: string;
}

export type Answer<T> =
  | { kind: "answer"; value: T }
  /** The provider does not confirm it; `reason` is for the log and holds no token. */
  | { kind: "refused"; reason: string }
  /** The provider is unavailable, too slow, or does not accept this gateway: nothing that the user can fix. */
  | { kind: "unavailable"; reason: string };

/** The user's identity at the provider, which has verified the address. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
  /** The roles that the user's groups give, by workspace; null: the operator named no groups, or the provider does not say which the user has. */
  roles: ReadonlyMap<string, GroupRole> | null;
}

export interface IdentityProviders {
  find(name: string): IdentityProvider | undefined;
  /** Cuts every open call. */
  close(): Promise<void>;
}
