// Tokens of Microsoft Entra by the client-credentials grant (docs/behaviour/providers.md#azure): obtained once for all calls that wait,
// renewed before they end, and forgotten where the resource refuses one.
import { type Clock, systemClock } from "../../clock.ts";
import { parseJson } from "../../json/parse.ts";
import { count, type Json, objectOf, textOf } from "../json/read.ts";
import type { Provider } from "../types.ts";
import { credentialsFault } from "./authorize.ts";
import { type Expiring, openRenewed } from "./renewed.ts";
import { askForToken } from "./token-request.ts";

export interface EntraClient {
  /** Of the login service, without a trailing slash. */
  authority: string;
  /** Its id or domain. */
  tenant: string;
  clientId: string;
  /** Empty: not set. */
  secret: string;
  /** The environment's name for it. */
  variable: string;
  scope: string;
}

export function entraAuthorization(
  client: EntraClient,
  clock: Clock = systemClock,
): Required<Pick<Provider, "authorize" | "onUnauthorized">> {
  const token = openRenewed(() => obtain(client, clock), clock);
  return {
    authorize: async () => ({ authorization: `Bearer ${await token.get()}` }),
    onUnauthorized: token.forget,
  };
}

async function obtain({ authority, tenant, clientId, secret, variable, scope }: EntraClient, clock: Clock): Promise<Expiring<string>> {
  if (secret === "") throw credentialsFault(`the variable ${variable} is not set`);
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: secret, scope };
  const { status, text } = await askForToken(`${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, {
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams(form).toString(),
  });
  const answer = readAnswer(text);
  const token = textOf(answer["access_token"]);
  const seconds = count(answer["expires_in"]);
  if (status !== 200 || token === null || !/^[!-~]{1,16384}$/.test(token)) throw credentialsFault(refusal(status, answer));
  return { value: token, expiresAt: seconds === null ? null : new Date(clock().getTime() + seconds * 1_000) };
}

function readAnswer(text: string): Json {
  try {
    return objectOf(parseJson(text));
  } catch {
    return {};
  }
}

/** Its own sentence may quote ids of the operator's tenant: its code says as much. */
function refusal(status: number, answer: Json): string {
  const word = /^[a-z_]{1,60}$/.exec(textOf(answer["error"]) ?? "")?.[0];
  const code = /^AADSTS\d{1,12}\b/.exec(textOf(answer["error_description"]) ?? "")?.[0];
  const said = [word, code].filter((part) => part !== undefined).join(", ");
  return `Entra gave no token: ${said === "" ? `it answered ${status}` : said}`;
}
