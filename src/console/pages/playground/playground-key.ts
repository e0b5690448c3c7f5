// The key that the playground calls models with: sessions may not. It can do what the playground does alone, works for an hour and is held in memory.
// It is one key, given a new secret by each tab, so that what the playground spends stands in one row of the usage.
import { type Client, createApiKey, createClient, listApiKeys, rollApiKey, updateApiKey } from "svc-sdk/functions";
import { api, change, workspaceHeader } from "../../lib/api.ts";
import { gatewayUrl } from "../../lib/place.ts";

const name = "Playground";
const audio = ["createSpeech", "createMusic", "createTranscription", "listVoices"];
const operations = ["createChatCompletion", "createImage", "createVideo", ...audio, "getJob"];
const lifeMs = 3_600_000;
/** A call that begins shortly before the end is still let in. */
const spareMs = 60_000;

interface Held {
  client: Client;
  workspace: string | null;
  until: number;
}
let held: Promise<Held> | null = null;

export async function playgroundClient(): Promise<Client> {
  const now = await held?.catch(() => null);
  if (now != null && now.workspace === workspaceHeader() && now.until - spareMs > Date.now()) return now.client;
  held = obtain();
  return (await held).client;
}

/** It was refused: it has been deleted. */
export function forgetKey(): void {
  held = null;
}

async function obtain(): Promise<Held> {
  const until = Date.now() + lifeMs;
  const workspace = workspaceHeader();
  const apiKey = await secretUntil(new Date(until).toISOString());
  return { client: createClient({ baseURL: gatewayUrl, apiKey, maxRetries: 0, timeout: 120_000, headers: {} }), workspace, until };
}

async function secretUntil(expires_at: string): Promise<string> {
  const { data } = await listApiKeys(api);
  const own = data.find(
    (key) => key.name === name && key.enabled && key.allowed_operations?.every((one) => operations.includes(one)) === true,
  );
  const allowed = { expires_at, allowed_operations: operations };
  if (own === undefined) return (await change(() => createApiKey(api, { name, ...allowed }))).api_key;
  await change(() => updateApiKey(api, own.id, allowed));
  // Another tab goes on with the secret that it has.
  return (await change(() => rollApiKey(api, own.id, { grace_seconds: lifeMs / 1000 }))).api_key;
}
