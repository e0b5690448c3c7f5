// Tokens of Microsoft Entra by the client-credentials grant (docs/behaviour/providers.md#azure): obtained once for all calls that wait,
// renewed before they end, and forgotten where the resource refuses one.
import { type Clock, systemClock } from "../../clock.ts";
import type { UpstreamError } from "../errors/upstream-error.ts";
import { type Json, textOf } from "../json/read.ts";
import { credentialsFault } from "./authorize.ts";
import type { Expiring } from "./renewed.ts";
import { bearerAuthorization, errorWordOf, postForm, tokenOf } from "./token-request.ts";

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

export function entraAuthorization(client: EntraClient, clock: Clock = systemClock): ReturnType<typeof bearerAuthorization> {
  return bearerAuthorization(() => obtain(client, clock), clock);
}

async function obtain({ authority, tenant, clientId, secret, variable, scope }: EntraClient, clock: Clock): Promise<Expiring<string>> {
  if (secret === "") throw credentialsFault(`the variable ${variable} is not set`);
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: secret, scope };
  return tokenOf(await postForm(`${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, form), clock, refusal);
}

/** Its own sentence may quote ids of the operator's tenant: its code says as much. */
function refusal(status: number, answer: Json): UpstreamError {
  const word = errorWordOf(answer);
  const code = /^AADSTS\d{1,12}\b/.exec(textOf(answer["error_description"]) ?? "")?.[0];
  const said = [word, code].filter((part) => part !== undefined).join(", ");
  return credentialsFault(`Entra gave no token: ${said === "" ? `it answered ${status}` : said}`);
}
