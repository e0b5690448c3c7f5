// The external providers of identities that the operator configured, by name.
import type { SignInProvider } from "../config.ts";
import { type Calls, type IdentityProvider, type IdentityProviders, openCalls } from "./calls.ts";
import { githubProvider } from "./github.ts";
import { openidProvider } from "./openid.ts";

export function openIdentityProviders(configured: readonly SignInProvider[]): IdentityProviders {
  const calls = openCalls();
  const providers = new Map(configured.map((provider) => [provider.name, connect(provider, calls)]));
  return { find: (name) => providers.get(name), close: () => calls.close() };
}

function connect({ name, clientId, clientSecret, speaks }: SignInProvider, calls: Calls): IdentityProvider {
  switch (speaks.protocol) {
    case "openid":
      return openidProvider({ name, clientId, clientSecret, issuer: speaks.issuer, scope: speaks.scope, groups: speaks.groups }, calls);
    case "github":
      return githubProvider({ name, clientId, clientSecret, site: speaks.site }, calls);
  }
}
