// What a page is sure to read is asked for by its first script, while the browser still loads and reads the large ones. The client takes
// these answers in place of its own first requests (api.ts).
import { consolePath, gatewayUrl, keptWorkspace } from "./place.ts";

/** An answer is taken once, and not when it has waited longer: then what it says may be old. */
const freshMs = 10_000;
const open = new Set(["sign-up", "sign-in", "verify", "forgot-password", "reset-password"]);
const everywhere = ["/v1/auth/session", "/v1/workspace", "/v1/workspaces"];
const onHome = ["/v1/credits/balance", "/v1/auth/usage/logs?limit=8"];

interface Asked {
  at: number;
  workspace: string | null;
  answer: Promise<Response>;
}

const asked = new Map<string, Asked>();

export function askEarly(): void {
  const [page = ""] = location.pathname.slice(consolePath.length).split("/").filter(Boolean);
  if (open.has(page)) return;
  const workspace = keptWorkspace();
  const headers = { accept: "application/json, */*", ...(workspace === null ? {} : { "x-workspace-id": workspace }) };
  for (const path of [...everywhere, ...(page === "" ? onHome : [])]) {
    const url = gatewayUrl + path;
    const answer = fetch(url, { headers }).then(whole);
    answer.catch(() => undefined); // the client hears of it
    asked.set(url, { at: performance.now(), workspace, answer });
  }
}

/** Read to its end, whether it is taken or not: a connection is free again. */
async function whole(answer: Response): Promise<Response> {
  const { status, statusText, headers } = answer;
  return new Response(await answer.arrayBuffer(), { status, statusText, headers });
}

/** Undefined: nothing was asked for, or not as `init` asks. Only a success counts: anything else is asked again, with what the client does then. */
export async function takeEarly(url: string, { method, headers, signal }: RequestInit): Promise<Response | undefined> {
  const early = asked.get(url);
  if (early === undefined || method !== "GET") return undefined;
  asked.delete(url);
  const workspace = new Headers(headers).get("x-workspace-id");
  if (early.workspace !== workspace || performance.now() - early.at > freshMs) return undefined;
  const answer = await Promise.race([early.answer.catch(() => undefined), aborted(signal)]);
  return answer?.ok === true ? answer : undefined;
}

function aborted(signal: AbortSignal | null | undefined): Promise<undefined> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(undefined), { once: true }));
}
