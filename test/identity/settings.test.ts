// SVC_SIGNIN_…: what the operator writes down, and what stops the start.
import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";

const read = (environment: Record<string, string>) => readConfig(environment).signInProviders;

const idp = { SVC_SIGNIN_IDP_CLIENT_ID: "x", SVC_SIGNIN_IDP_ISSUER: "https://id.example.com" };
const workspace = `ws_${"0a".repeat(16)}`;

test("groups of an OpenID provider, each with a workspace and a role; the name of a group may hold what the others are split by", () => {
  const [provider] = read({
    ...{
      ...idp,
      SVC_SIGNIN_IDP_GROUPS: ` devs=${workspace}:developer, cn=a:b=${workspace}:admin `,
      SVC_SIGNIN_IDP_SCOPE: "groups profile",
    },
  });
  expect(provider!.speaks).toMatchObject({
    scope: "groups profile",
    groups: {
      claim: "groups",
      rules: [
        { group: "devs", workspace, role: "developer" },
        { group: "cn=a:b", workspace, role: "admin" },
      ],
    },
  });
});

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
      speaks: { protocol: "openid", issuer: new URL("https://id.example.com/realm"), scope: null, groups: null },
    },
  ]);
});

test.each<[string, Record<string, string>, string]>([
  ["neither issuer nor GitHub", { SVC_SIGNIN_IDP_CLIENT_ID: "x" }, "SVC_SIGNIN_IDP_ISSUER is not set"],
  ["an issuer without an id", { SVC_SIGNIN_IDP_ISSUER: "https://x.example" }, "SVC_SIGNIN_IDP_CLIENT_ID is not set"],
  ["groups without their rules", { ...idp, SVC_SIGNIN_IDP_GROUPS_CLAIM: "roles" }, "SVC_SIGNIN_IDP_GROUPS is not"],
  ["a group that makes owners", { ...idp, SVC_SIGNIN_IDP_GROUPS: `devs=${workspace}:owner` }, "SVC_SIGNIN_IDP_GROUPS must be"],
  ["a group of no workspace", { ...idp, SVC_SIGNIN_IDP_GROUPS: "devs=acc_1:viewer" }, "SVC_SIGNIN_IDP_GROUPS must be"],
  ["an empty group", { ...idp, SVC_SIGNIN_IDP_GROUPS: `a=${workspace}:viewer,` }, "SVC_SIGNIN_IDP_GROUPS must be"],
  ["too many groups", { ...idp, SVC_SIGNIN_IDP_GROUPS: Array(101).fill(`a=${workspace}:viewer`).join(",") }, "more than 100 groups"],
  ["a scope that is none", { ...idp, SVC_SIGNIN_IDP_SCOPE: 'a"b' }, "SVC_SIGNIN_IDP_SCOPE must be"],
  ["groups of GitHub", { SVC_SIGNIN_GITHUB_CLIENT_ID: "x", SVC_SIGNIN_GITHUB_CLIENT_SECRET: "s", SVC_SIGNIN_GITHUB_GROUPS: `a=${workspace}:viewer` }, "SVC_SIGNIN_GITHUB_ISSUER is not set"], // prettier-ignore
  ["GitHub without its secret", { SVC_SIGNIN_GITHUB_CLIENT_ID: "x" }, "SVC_SIGNIN_GITHUB_CLIENT_SECRET is not set"],
  ["an issuer that is no address", { SVC_SIGNIN_IDP_CLIENT_ID: "x", SVC_SIGNIN_IDP_ISSUER: "id.example" }, "SVC_SIGNIN_IDP_ISSUER must be"],
])("%s stops the start", (_what, environment, message) => {
  expect(() => read(environment)).toThrow(message);
});
