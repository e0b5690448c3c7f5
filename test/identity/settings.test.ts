// SVC_SIGNIN_…: what the operator writes down, and what stops the start.
import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";

const read = (environment: Record<string, string>) => readConfig(environment).signInProviders;

test("any number of providers, by name", () => {
  expect(
    read({
      SVC_SIGNIN_OUR_IDP_CLIENT_ID: "public",
      SVC_SIGNIN_OUR_IDP_ISSUER: "https://id.example.com/realm",
      SVC_SIGNIN_GITHUB_CLIENT_ID: "hub",
      SVC_SIGNIN_GITHUB_CLIENT_SECRET: "s",
      SVC_SIGNIN_UNUSED_CLIENT_ID: " ",
    }),
  ).toEqual([
    { name: "github", clientId: "hub", clientSecret: "s", speaks: { protocol: "github", site: new URL("https://github.com") } },
    {
      name: "our-idp",
      clientId: "public",
      clientSecret: null,
      speaks: { protocol: "openid", issuer: new URL("https://id.example.com/realm") },
    },
  ]);
});

test.each<[string, Record<string, string>, string]>([
  ["neither issuer nor GitHub", { SVC_SIGNIN_IDP_CLIENT_ID: "x" }, "SVC_SIGNIN_IDP_ISSUER is not set"],
  ["an issuer without an id", { SVC_SIGNIN_IDP_ISSUER: "https://x.example" }, "SVC_SIGNIN_IDP_CLIENT_ID is not set"],
  ["GitHub without its secret", { SVC_SIGNIN_GITHUB_CLIENT_ID: "x" }, "SVC_SIGNIN_GITHUB_CLIENT_SECRET is not set"],
  ["an issuer that is no address", { SVC_SIGNIN_IDP_CLIENT_ID: "x", SVC_SIGNIN_IDP_ISSUER: "id.example" }, "SVC_SIGNIN_IDP_ISSUER must be"],
])("%s stops the start", (_what, environment, message) => {
  expect(() => read(environment)).toThrow(message);
});
