// Azure's OpenAI: the operations of the OpenAI protocol under a resource's paths, with its keys and tokens and its content filter's words.
// tokens.ts gives the tokens out.
import type { IncomingHttpHeaders } from "node:http";
import { openai } from "../openai/openai.ts";
import { planChat } from "../openai/chat.ts";
import { planEmbeddings } from "../openai/embeddings.ts";
import { type Ask, type LiveOperation, type Plan, planFields, type SimulatorProtocol } from "../protocol.ts";
import { readFields, type Refusal, Refused } from "../request-fields.ts";
import { federatedToken, identity, planAppServiceToken, planMachineToken, planToken } from "./tokens.ts";

/** Of one simulator: it knows the tokens that it gave out. */
export function openAzure(): SimulatorProtocol {
  const tokens = new Set<string>();
  return {
    name: "azure",
    prefixes: ["/azure"],
    findOperation: () => null,
    findLive(method, path) {
      const [, tenant] = /^\/login\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(path) ?? [];
      if (tenant !== undefined && method === "POST") return (ask) => planToken(ask, decodeURIComponent(tenant), tokens);
      if (method === "GET" && path === "/certificate") return () => planFields({ pem: identity().pem });
      if (method === "GET" && path === "/federated-token") return ({ base }) => planFields({ token: federatedToken(`${base}/issuer`) });
      if (method === "GET" && path === "/metadata/identity/oauth2/token") return (ask) => planMachineToken(ask, tokens);
      if (method === "GET" && path === "/msi/token") return (ask) => planAppServiceToken(ask, tokens);
      const [, deployment, below] = /^\/openai\/(?:v1|deployments\/([^/]+))(\/.+)$/.exec(path) ?? [];
      const operation = below === undefined ? null : findBelow(method, below);
      if (operation === null) return null;
      return (ask) => {
        checkKey(ask.headers, tokens);
        if (deployment === undefined) return operation(ask);
        if (!/^\d{4}-\d{2}-\d{2}(-preview)?$/.test(ask.query.get("api-version") ?? "")) throw noSuchPath();
        return operation(withModel(ask, decodeURIComponent(deployment)));
      };
    },
    bodyBytesMax: (path) => openai.bodyBytesMax?.(path.slice(path.lastIndexOf("/audio/"))),
    rewordRefusal,
    renderRefusal,
  };
}

function findBelow(method: string, path: string): LiveOperation | null {
  if (method === "POST" && path === "/chat/completions") return ({ body }) => withFilterResults(planChat(body));
  if (method === "POST" && path === "/embeddings") return ({ body }) => planEmbeddings(body);
  return openai.findLive?.(method, path) ?? null;
}

/** The deployment decides the model, whatever the body says. */
function withModel(ask: Ask, model: string): Ask {
  if (!String(ask.headers["content-type"]).startsWith("application/json")) return ask;
  return { ...ask, body: Buffer.from(JSON.stringify({ ...readFields(ask.body), model })) };
}

/** A stream begins with what the filter found in the prompt, and without a choice. */
function withFilterResults(plan: Plan): Plan {
  const { reply } = plan;
  if (reply.kind !== "stream") return plan;
  const first = {
    choices: [],
    created: 0,
    id: "",
    model: "",
    object: "",
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
  };
  function* records(): Iterable<string> {
    yield JSON.stringify(first);
    if (reply.kind === "stream") yield* reply.records();
  }
  return { ...plan, reply: { ...reply, records } };
}

/** Any key but one that begins with `wrong`, and tokens that were given out here. */
function checkKey({ "api-key": key, authorization }: IncomingHttpHeaders, tokens: ReadonlySet<string>): void {
  const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  if (token !== undefined ? tokens.has(token) : typeof key === "string" && key !== "" && !key.startsWith("wrong")) return;
  throw new Refused({ status: 401, type: "", code: "401", message: messages[401]! });
}

// Errors in Azure's words.

const messages: Record<number, string> = {
  401: "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
  404: "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
  429: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 1 second.",
};
const codes: Record<number, string> = { 401: "401", 404: "DeploymentNotFound", 429: "429" };

function noSuchPath(): Refused {
  return new Refused({ status: 404, type: "", code: "404", message: "Resource not found" });
}

function rewordRefusal(refusal: Refusal): Refusal {
  const { status, code } = refusal;
  const message = messages[status];
  if (
    code === "unknown_directive" ||
    code === "unknown_url" ||
    code === "simulator_fault" ||
    code === "insufficient_quota" ||
    code === "404"
  )
    return refusal;
  return message === undefined ? refusal : { ...refusal, type: "", code: codes[status]!, message };
}

function renderRefusal({ status, message, type, param, code }: Refusal): string {
  if (code !== "content_filter" && code !== "content_policy_violation")
    return JSON.stringify({ error: { code, message, ...(type === "" ? {} : { type, param: param ?? null }) } });
  const text =
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.";
  const found = { hate: { filtered: false, severity: "safe" }, violence: { filtered: true, severity: "medium" } };
  const inner = { code: "ResponsibleAIPolicyViolation", content_filter_result: found };
  return JSON.stringify({ error: { message: text, type: null, param: "prompt", code: "content_filter", status, innererror: inner } });
}
