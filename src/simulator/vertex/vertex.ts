// Vertex: Gemini's operations and Anthropic's under a project's paths, embeddings by `predict`, and the services that give out tokens: for
// assertions of its one service account, and to the machine it runs on. Every other request carries such a token.
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { parseJson } from "../../json/parse.ts";
import { eventName, planMessage, renderError, rewordRefusal as rewordAnthropics } from "../anthropic/anthropic.ts";
import { planContent, renderRefusal, rewordRefusal } from "../gemini/gemini.ts";
import { readModelId } from "../directives.ts";
import { countInputs, planEmbeddings } from "../openai/embeddings.ts";
import { type Ask, jsonReply, type Plan, planFields, type SimulatorProtocol, type WholeReply } from "../protocol.ts";
import { type Fields, isFields, readFields, readWhole, type Refusal, Refused, refuse } from "../request-fields.ts";
import { digest } from "../seed.ts";

type Tokens = Map<string, { until: number }>;

/** Of one simulator: it knows the tokens that it gave out. */
export function openVertex(): SimulatorProtocol {
  const tokens: Tokens = new Map();
  return {
    name: "vertex",
    prefixes: ["/vertex"],
    findOperation: () => null,
    findLive(method, path) {
      if (method === "GET" && path === "/account") return ({ base }) => planFields(serviceAccount(`${base}/token`));
      if (method === "POST" && path === "/token") return (ask) => planToken(ask, tokens);
      if (method === "GET" && path === metadataPath) return (ask) => planMachineToken(ask, tokens);
      const [, project, location, publisher, id, verb] = modelPath.exec(path) ?? [];
      if (method !== "POST" || id === undefined) return null;
      return (ask) => {
        checkToken(ask, tokens);
        const model = decodeURIComponent(id);
        const { name } = readModelId(model);
        if (name.includes("elsewhere")) throw noSuchModel({ project, location, publisher, name });
        return planModel(ask, { model, publisher: publisher!, verb: verb! });
      };
    },
    rewordRefusal: (refusal) => (refusal.type === google || refusal.type === anthropics ? refusal : rewordGoogles(refusal)),
    renderRefusal: (refusal) => (refusal.type === anthropics ? renderError(refusal) : renderRefusal(refusal)),
    eventName: (data) => (data.startsWith('{"type":"') ? eventName(data) : ""),
    errorEndsStream: true,
  };
}

const modelPath = /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/([^/]+)\/models\/([^/:]+):(\w+)$/;

interface Asked {
  model: string;
  publisher: string;
  verb: string;
}

function planModel({ body, query, headers }: Ask, { model, publisher, verb }: Asked): Plan {
  const shared = String(headers["x-vertex-ai-llm-shared-request-type"] ?? "");
  if (publisher === "google" && verb === "generateContent") return planContent(body, model, false, shared);
  if (publisher === "google" && verb === "streamGenerateContent" && query.get("alt") === "sse")
    return planContent(body, model, true, shared);
  if (publisher === "google" && verb === "predict") return planPredict(body, model);
  if (publisher === "anthropic" && (verb === "rawPredict" || verb === "streamRawPredict"))
    return planRaw(body, model, verb === "streamRawPredict");
  throw new Refused({ status: 404, type: google, code: null, message: `${publisher}/${verb} is not served here.` });
}

// Anthropic's models: the version is in the body, the model in the path.

function planRaw(body: Buffer, model: string, stream: boolean): Plan {
  const { anthropic_version: version, ...fields } = readFields(body);
  if ("model" in fields) refuse("model", "model: Extra inputs are not permitted");
  if (version !== "vertex-2023-10-16") refuse("anthropic_version", "anthropic_version: Field required");
  if ((fields["stream"] === true) !== stream) refuse("stream", "stream: must be true at streamRawPredict only");
  try {
    return { ...planMessage(Buffer.from(JSON.stringify({ model, ...fields })), "2023-06-01"), rewordRefusal: rewordOfRaw };
  } catch (error) {
    throw error instanceof Refused ? new Refused({ ...rewordAnthropics(error.refusal), type: anthropics }) : error;
  }
}

/** What the model's own server says is in Anthropic's form; what stands before it says Google's. */
function rewordOfRaw(refusal: Refusal): Refusal {
  if ([401, 403, 404, 429].includes(refusal.status)) return rewordGoogles(refusal);
  return { ...rewordAnthropics(refusal), type: anthropics };
}

// Embeddings.

const instancesMax = 250;

function planPredict(body: Buffer, model: string): Plan {
  const { instances, parameters } = readFields(body);
  const { name, directives } = readModelId(model);
  if (!Array.isArray(instances) || instances.length === 0) refuse("instances", "Invalid request: instances is empty.");
  const most = name.startsWith("gemini") ? 1 : instancesMax;
  if (instances.length > most) refuse("instances", `${most} instance(s) is allowed per prediction. Actual: ${instances.length}`);
  const texts = instances.map((one) => (isFields(one) ? one["content"] : null)) as string[];
  if (texts.some((text) => typeof text !== "string" || text === "")) refuse("instances", "The text content is empty.");
  const dimensions = isFields(parameters) ? readWhole(parameters, "outputDimensionality", 1, 8192) : null;
  const plan = planEmbeddings(Buffer.from(JSON.stringify({ model, input: texts, dimensions })));
  const { data } = parseJson((plan.reply as WholeReply).body.toString()) as { data: { index: number; embedding: number[] }[] };
  const counts = texts.map((text, index) => {
    if (directives.promptTokens === undefined) return countInputs([text]);
    return index === 0 ? directives.promptTokens - texts.length + 1 : 1;
  });
  const predictions = data.map(({ index, embedding }) => ({
    embeddings: { values: embedding, ...(directives.noUsage ? {} : { statistics: { token_count: counts[index], truncated: false } }) },
  }));
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return { ...plan, reply: jsonReply(200, JSON.stringify({ predictions, metadata: { billableCharacterCount: characters } })) };
}

// The service account, POST /token, and the metadata server.

const email = "gateway@sim-project.iam.gserviceaccount.com";
const scope = "https://www.googleapis.com/auth/cloud-platform";
const tokenSeconds = 3_599;
const tokensMax = 10_000;
/** An assertion may be so far from our clock. */
const skewSeconds = 300;
const metadataPath = "/metadata/computeMetadata/v1/instance/service-accounts/default/token";

let key: { pem: string; publicKey: KeyObject } | null = null;

/** The JSON that Google's console would hand out; its key is this process's. */
export function serviceAccount(tokenUrl: string): Fields {
  if (key === null) {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    key = { pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), publicKey: createPublicKey(privateKey) };
  }
  return {
    ...{ type: "service_account", project_id: "sim-project", private_key_id: "sim-key-1", private_key: key.pem, client_email: email },
    ...{ client_id: "100000000000000000000", token_uri: tokenUrl },
  };
}

function planToken({ body, base }: Ask, tokens: Tokens): Plan {
  const form = new URLSearchParams(body.toString("utf8"));
  if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
    return planFields({ error: "unsupported_grant_type", error_description: "Invalid grant_type" }, 400);
  const claims = claimsOf(form.get("assertion") ?? "");
  if (claims === null) return grantError("Invalid JWT Signature.");
  if (claims["iss"] !== email) return grantError("Invalid grant: account not found");
  if (claims["aud"] !== `${base}/token`) return grantError("Invalid JWT: Failed audience check.");
  const now = Math.floor(Date.now() / 1000);
  const [from, until] = [Number(claims["iat"]), Number(claims["exp"])];
  if (!(from <= now + skewSeconds && until >= now - skewSeconds && until - from <= 3_600))
    return grantError(
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
    );
  if (claims["scope"] !== scope)
    return planFields({ error: "invalid_scope", error_description: "Invalid OAuth scope or ID token audience provided." }, 400);
  return giveToken(tokens);
}

/** Null: signed by another key, or not at all. */
function claimsOf(assertion: string): Fields | null {
  const [head = "", claims = "", signature = ""] = assertion.split(".");
  const signed = key !== null && verify("sha256", Buffer.from(`${head}.${claims}`), key.publicKey, Buffer.from(signature, "base64url"));
  return signed ? (parseJson(Buffer.from(claims, "base64url").toString()) as Fields) : null;
}

function planMachineToken({ headers }: Ask, tokens: Tokens): Plan {
  if (headers["metadata-flavor"] !== "Google") return planFields({ error: "Missing Metadata-Flavor:Google header." }, 403);
  return giveToken(tokens);
}

function giveToken(tokens: Tokens): Plan {
  const token = `ya29.sim-${digest(`token ${tokens.size}`)}`;
  if (tokens.size < tokensMax) tokens.set(token, { until: Date.now() + tokenSeconds * 1_000 });
  return planFields({ access_token: token, expires_in: tokenSeconds, token_type: "Bearer" });
}

function grantError(description: string): Plan {
  return planFields({ error: "invalid_grant", error_description: description }, 400);
}

function checkToken({ headers }: Ask, tokens: Tokens): void {
  const token = /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1] ?? "";
  if ((tokens.get(token)?.until ?? 0) > Date.now()) return;
  throw new Refused({
    ...{ status: 401, type: google, code: null },
    message:
      "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
  });
}

// Errors: marks of whose words they are already in, and Vertex's own where Gemini's API says it otherwise.

const google = "google";
const anthropics = "anthropic";

const messages: Record<number, string> = {
  403: "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/sim-project/locations/global/publishers/google/models/sim' (or it may not exist).",
  404: "Publisher Model `projects/sim-project/locations/global/publishers/google/models/sim` was not found or your project does not have access to it. Please ensure you are using a valid model version. For more information, see: https://cloud.google.com/vertex-ai/generative-ai/docs/learn/model-versions",
  429: "Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.",
};

function rewordGoogles(refusal: Refusal): Refusal {
  const worded = rewordRefusal(refusal);
  const message = messages[refusal.status];
  const kept = worded === refusal && refusal.status !== 403;
  return message === undefined || kept || refusal.code?.startsWith("content") ? worded : { ...worded, message };
}

/** A model whose name contains `elsewhere` is served in no location. */
function noSuchModel({
  project,
  location,
  publisher,
  name,
}: Record<"project" | "location" | "publisher" | "name", string | undefined>): Refused {
  const resource = `projects/${project}/locations/${location}/publishers/${publisher}/models/${name}`;
  const message = messages[404]!.replace(/`[^`]+`/, `\`${resource}\``);
  return new Refused({ status: 404, type: google, code: null, message });
}
