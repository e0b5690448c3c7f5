// The keys that receipts are signed with. They are no operation of the API, so this one file is read without the SDK.
import type { KeySet } from "svc-sdk";
import { gatewayUrl } from "./place.ts";

export async function readKeySet(): Promise<KeySet> {
  const reply = await window.fetch(`${gatewayUrl}/.well-known/jwks.json`);
  if (!reply.ok) throw new Error("the gateway's keys could not be read.");
  return (await reply.json()) as KeySet;
}
