// GET /v1/auth/options: what a sign-in page has to know before a person signs in or up. Public, and nothing of it is secret: the replies to
// sign-ups and sign-ins say it too.
import type { components } from "../generated/api.d.ts";
import type { Config } from "../src/config.ts";
import type { Handler } from "../src/operation.ts";

type AuthOptions = components["schemas"]["AuthOptions"];

const headers = { "cache-control": "public, max-age=60" } as const;

export const getAuthOptions: Handler<"getAuthOptions"> = ({ config }) => ({ status: 200, headers, body: authOptions(config) });

function authOptions({ signInProviders, signUp, notice }: Pick<Config, "signInProviders" | "signUp" | "notice">): AuthOptions {
  const widget = signUp.captcha?.widget ?? null;
  return {
    object: "auth.options",
    providers: signInProviders.map(({ name, speaks }) => ({
      name,
      display_name: displayName(name),
      id_tokens: speaks.protocol === "openid",
    })),
    sign_up: signUp.mode,
    sign_up_domains: signUp.domains,
    captcha_required: signUp.captcha !== null,
    captcha_widget: widget === null ? null : { service: widget.service, site_key: widget.siteKey },
    notice,
  };
}

/** Whose own spelling is another one than a capital and the rest. */
const spellings = new Map([
  ["github", "GitHub"],
  ["gitlab", "GitLab"],
  ["linkedin", "LinkedIn"],
]);

function displayName(name: string): string {
  return spellings.get(name) ?? name.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());
}
