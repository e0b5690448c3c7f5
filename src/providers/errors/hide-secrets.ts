// Removes from an upstream's words what must not leave: keys (whole, in part or masked), the provider's name and domain, addresses in the
// operator's network, ids of the operator's accounts. error-text.ts chooses which words of an error are searched.
import { isIP } from "node:net";
import { isPublicHost } from "../../network/address.ts";
import { isObject, type Json } from "../json/read.ts";
import type { Provider } from "../types.ts";

const hidden = "[hidden]";

/** Headers whose values are as secret as a key; values of other headers are hidden only when they appear whole. */
const secretHeader = /auth|key|token|secret|cookie|password|credential/i;
/** The shortest part of a key that is hidden. */
const pieceLength = 8;

interface Searched {
  /** Hidden wherever they appear, longest first. */
  whole: string[];
  /** The same as JSON escapes them. */
  inJson: string[];
  keys: { key: string; pieces: ReadonlySet<string>; end: RegExp | null }[];
  hosts: RegExp[];
  /** The provider's registered domain: another host of it shows the provider as well. */
  domain: string | null;
  /** A cache of short texts without secrets: every chunk of a stream repeats the same ones. */
  clean: Set<string>;
}

const cleanMax = 100;

const searchedFor = new WeakMap<Provider, Searched>();

/** Removes the operator's secrets from an upstream's sentence or plain value. */
export function hideSecrets(message: string, provider: Provider): string {
  const { whole, keys, hosts, domain, clean } = searchedOf(provider);
  if (clean.has(message)) return message;
  let text = message;
  for (const secret of whole) text = text.replaceAll(secret, hidden);
  text = hideKeyForms(text);
  for (const { key, pieces, end } of keys) {
    text = hidePieces(text, pieces);
    text = text.replace(/[-_A-Za-z0-9]{6,}/g, (word) => (key.startsWith(word) || key.endsWith(word) ? hidden : word));
    text = text.replace(namedEnd, (told, before: string, word: string) => (key.endsWith(word) ? `${before}${hidden}` : told));
    if (end !== null) text = text.replace(end, hidden);
  }
  text = text.replace(anyUrl, (url) => (isStrange(url, domain) ? url : hidden));
  for (const host of hosts) text = text.replace(host, hidden);
  text = hideHosts(text);
  if (text === message && message.length <= 64) {
    if (clean.size >= cleanMax) clean.clear();
    clean.add(message);
  }
  return text;
}

/** An answer's JSON without the provider's own keys. Nearly free: almost no answer holds one. */
export function withoutKeys(json: string, provider: Provider): string {
  const { inJson } = searchedOf(provider);
  let text = json;
  for (const secret of inJson) if (text.includes(secret)) text = text.replaceAll(secret, hidden);
  return text;
}

function searchedOf(provider: Provider): Searched {
  let searched = searchedFor.get(provider);
  if (searched === undefined) searchedFor.set(provider, (searched = prepare(provider)));
  return searched;
}

/** What a provider's credentials made for a request: a token is as secret as a key, a signature holds for one request. */
export function hideMade(provider: Provider, added: Readonly<Record<string, string>>): void {
  const tokens = Object.entries(added).flatMap(([name, value]) => {
    if (name === "authorization") return value.startsWith("Bearer ") ? [value.slice("Bearer ".length)] : [];
    return secretHeader.test(name) ? [value] : [];
  });
  const known = madeFor.get(provider) ?? [];
  const others = tokens.filter((token) => !known.includes(token));
  if (others.length === 0) return;
  madeFor.set(provider, [...others, ...known].slice(0, madeMax * (provider.credentials?.length ?? 1)));
  searchedFor.delete(provider);
}

/** The newest of each credential: that of before may still be on its way when the next is there. */
const madeMax = 4;
const madeFor = new WeakMap<Provider, readonly string[]>();

function prepare(provider: Provider): Searched {
  const { apiKey, headers, baseUrl, secrets: listed = [] } = provider;
  const secrets = [...listed, ...(madeFor.get(provider) ?? [])];
  const values = Object.entries(headers);
  const secretValues = values.filter(([name]) => secretHeader.test(name)).flatMap(([, value]) => [value, ...value.split(/\s+/)]);
  const keys = [...new Set([apiKey, ...secrets, ...secretValues])].filter((key) => key !== null && key.length >= pieceLength) as string[];
  const whole = [...new Set([apiKey, ...values.map(([, value]) => value), ...keys])].filter(
    (secret) => secret !== null && secret.length >= 6,
  );
  const { host, hostname } = new URL(baseUrl);
  const labels = hostname.split(".");
  return {
    whole: (whole as string[]).sort((one, other) => other.length - one.length),
    // A placeholder such as `lm-studio` has no digit: a model may say that word.
    inJson: keys.filter((key) => /\d/.test(key)).map((key) => JSON.stringify(key).slice(1, -1)),
    keys: keys.map((key) => ({ key, pieces: piecesOf(key), end: lastFour(key) })),
    // A name without a dot (`vllm`) is an ordinary word: it is hidden only with its port.
    hosts: [host, hostname].filter((form) => /[.:]/.test(form)).map(hostPattern),
    domain: isIP(hostname) === 0 && labels.length > 1 ? labels.slice(-2).join(".") : null,
    clean: new Set(),
  };
}

function hostPattern(form: string): RegExp {
  return new RegExp(`${form.replace(/\W/g, "\\$&")}(?::\\d{1,5})?`, "gi");
}

function piecesOf(key: string): Set<string> {
  return new Set(Array.from({ length: key.length - pieceLength + 1 }, (_, at) => key.slice(at, at + pieceLength)));
}

/** The four characters that vendors show of a key. Four letters may be a word, four digits a number. */
function lastFour(key: string): RegExp | null {
  const end = key.slice(-4);
  return /^[A-Za-z0-9]{4}$/.test(end) && /\d/.test(end) && /[A-Za-z]/.test(end)
    ? new RegExp(`(?<![A-Za-z0-9])${end}(?![A-Za-z0-9])`, "g")
    : null;
}

const keyCharacter = /[-_A-Za-z0-9*.…]/;

/** Hides every run that contains part of a key, with the mask or the rest of the key beside it. */
function hidePieces(text: string, pieces: ReadonlySet<string>): string {
  let shown = "";
  let from = 0;
  for (let at = 0; at + pieceLength <= text.length; at++) {
    if (!pieces.has(text.slice(at, at + pieceLength))) continue;
    let start = at;
    let end = at + pieceLength;
    while (start > from && keyCharacter.test(text[start - 1]!)) start -= 1;
    while (end < text.length && keyCharacter.test(text[end]!)) end += 1;
    if (text[end - 1] === "." && text[end - 2] !== ".") end -= 1; // the sentence's full stop
    shown += text.slice(from, start) + hidden;
    from = end;
    at = end - 1;
  }
  return shown + text.slice(from);
}

/** "ending in abcd", "…abcd" */
const namedEnd = /(\bend(?:s|ing)?\s+(?:in|with)\W{1,3}|(?<!\.)\.{2,}|…|(?<![*•])[*•]+)([A-Za-z0-9]{3,})/gi;

/** Hides the known forms of keys and account ids, whichever vendor they belong to. */
function hideKeyForms(text: string): string {
  return text
    .replace(/\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s+(?=[^\s,;"']*(?:[0-9=]|[a-z][A-Z]|\w\.\w))[^\s,;"']{6,}/g, hidden) // not "basic formatting"
    .replace(/\b[-_A-Za-z0-9]{2,80}[*•]{3,}[-_A-Za-z0-9*•]*|(?<![*•])[*•]{3,}[-_A-Za-z0-9]+/g, hidden) // a masked key still shows some of it
    .replace(/\b(?:sk|pk|rk|gsk|csk|xai|hf|nvapi|pplx|fw|tgp|r8|key)[-_][-_A-Za-z0-9]{0,120}(?:\.{2,}|…)[-_A-Za-z0-9]*/g, hidden)
    .replace(
      /\b(?:sk|pk|rk|gsk|csk|xai|nvapi|pplx|ghp|r8)[-_][-_A-Za-z0-9]{6,}|\bhf_[A-Za-z0-9]{6,}|\bAIza[-_A-Za-z0-9]{10,}|\bA[KS]IA[A-Z0-9]{12,}/g,
      hidden,
    )
    .replace(/\beyJ[-_A-Za-z0-9]{8,1000}(?:\.[-_A-Za-z0-9]+)+/g, hidden) // base64 of any JSON begins so; a token has dots
    .replace(/\b(?:org|proj|acct)[-_](?=[A-Za-z]*\d|[a-z]*[A-Z])[A-Za-z0-9]{6,}/g, hidden)
    .replace(/\b(?:project|user|team|wrkspc|ws)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{10,}/g, hidden) // not a tool named user_getProfile
    .replace(/\b(?:projects|subscriptions|organizations|accounts|resourceGroups)\/[-\w.]+|\barn:aws[^\s"',]*/g, hidden);
}

/** The last character is not the sentence's punctuation. */
const anyUrl = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)\]}]/gi;

/** A public address outside the provider's domain: documentation, or something that the caller sent. */
function isStrange(text: string, domain: string | null): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || isIP(url.hostname) !== 0) return false;
  return isPublicHost(url.hostname, { allowPrivate: false }) && (domain === null || !`.${url.hostname}`.endsWith(`.${domain}`));
}

const port = String.raw`(?::\d{1,5})?`;
const hostForms: readonly [RegExp, (found: string) => boolean][] = [
  [new RegExp(String.raw`(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)${port}`, "g"), () => true],
  [/\[[0-9a-f:.]{3,}\](?::\d{1,5})?/gi, (found) => isIP(found.slice(1, found.indexOf("]"))) === 6],
  [/(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/gi, (found) => found.length > 2 && isIP(found) === 6],
  [new RegExp(String.raw`\blocalhost\b${port}|\bport\s+\d{2,5}\b`, "gi"), () => true],
  [
    new RegExp(
      String.raw`(?<![\w.-])(?:[a-z0-9_-]+\.)+(?:svc(?:\.cluster)?(?:\.local)?|cluster\.local|internal|local|lan|intranet|corp|home\.arpa|localdomain|consul)\b(?!\.\w)${port}`,
      "gi",
    ),
    (found) => !/\bproperties\./.test(found), // a path in a schema
  ],
  [/(?<![\w.-])(?:[a-z0-9_-]+\.)+[a-z]{2,}:\d{2,5}(?!\w)/gi, () => true],
  [/(?<![\w.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+:\d{2,5}(?!\w)/gi, () => true],
];
/** What a sentence may number with a colon. */
const noHost = String.raw`(?!(?:line|col|column|row|char|character|pos|position|offset|index|byte|token|after|attempts?|code|elapsed|errno|error|limit|retry|seconds|status|timeout):)`;
const hostWithPort = String.raw`${noHost}[a-z][\w-]*:\d{2,5}(?!\w)`;
/** A name without a dot is a host only after such words, and with a port where they may say something else. */
const hostAfter: readonly RegExp[] = [
  new RegExp(String.raw`(\b(?:to|at|from|host|upstream|server|address|backend|node|on)\b\s{0,3}[:=]?\s{0,3}['"]?)${hostWithPort}`, "gi"),
  new RegExp(
    String.raw`(\b(?:connection refused|ECONN[A-Z]+|E[A-Z]+UNREACH|ETIMEDOUT|dial tcp[46]?)\b[.:]?\s{0,3}[(['"]{0,2})${hostWithPort}`,
    "gi",
  ),
  new RegExp(
    String.raw`(\b(?:refused it|reset by peer|timed out|unreachable|unavailable|(?:is|not) known|name resolution)\b[.:]?\s{0,3}[([]['"]?)${hostWithPort}`,
    "gi",
  ),
  // "HTTPConnectionPool(host='vllm', port=8000)", "Connect call failed ('10.2.3.4', 8000)"
  /(\b(?:\w+_)?host(?:name)?\s*=\s*['"]?)[a-z0-9][\w.:-]*\b/gi,
  /((?<!\.|\binvalid )\b(?:\w+_)?port['"]?\s*[:=]\s*['"]?)\d{2,5}\b/gi, // not a parameter of that name
  /(\bconnect call failed \()[^)]{1,100}(?=\))/gi,
  // Names that were looked up stand without a port.
  /(\b(?:ENOTFOUND|EAI_AGAIN|UnknownHostException:|could(?: not|n't) resolve host(?:name)?:?)\s+['"]?)[a-z0-9][\w.-]*\b/gi,
  /(\bfailed to resolve ')[\w.-]+(?=' \(\[Errno)/gi,
  /(\blookup )[\w.-]+(?= on \S+:53\b|: no such host)/gi,
  /(\b(?:connect to ['"]?|for ['"]))[a-z0-9][\w.-]*(?=['"]? port \d)/gi,
];

function hideHosts(text: string): string {
  let shown = text;
  for (const after of hostAfter) shown = shown.replace(after, (_, before: string) => `${before}${hidden}`);
  for (const [form, isHost] of hostForms) shown = shown.replace(form, (found) => (isHost(found) ? hidden : found));
  return shown;
}

// Keeps members of an answer that the gateway doesn't know, for clients that know the host, and removes what must stay with the operator.

/** The model's own output and the caller's own input stay unchanged: both may well mention keys and addresses. */
const answer: ReadonlySet<string> = new Set([
  ...["role", "content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "extra_content"],
  ...["tool_calls", "function_call", "executed_tools", "annotations", "citations", "search_results", "related_questions"],
  ...["images", "videos", "audio", "logprobs", "prompt_logprobs", "document", "text", "echoed", "stop_reason", "matched_stop"],
]);

/**
 * Parts of an answer that hold the same names once more: of hosts that say a message twice, of LiteLLM, Azure's documents, prompts that a host
 * repeats, and what a search found.
 */
const parts: ReadonlySet<string> = new Set([
  ...["message", "messages", "delta", "provider_specific_fields", "context", "all_retrieved_documents", "prompt"],
  ...["web_search", "web_search_results", "search_info", "reasoning_steps", "grounding_metadata"],
]);

/** Returns the same object if nothing had to be removed. `isAnswer`: false inside a member that the gateway doesn't know. */
export function hideInMembers(members: Json, provider: Provider, isAnswer = true): Json {
  let shown = members;
  for (const name in members) {
    if (isAnswer && answer.has(name)) continue;
    const value = members[name];
    const kept = hideInValue(value, provider, isAnswer && parts.has(name));
    if (kept === value) continue;
    if (shown === members) shown = { ...members };
    shown[name] = kept;
  }
  return shown;
}

/** Depth is bounded by the parser (json/scan.ts). */
function hideInValue(value: unknown, provider: Provider, isAnswer: boolean): unknown {
  if (typeof value === "string") return hideInText(value, provider);
  if (Array.isArray(value)) {
    const kept = value.map((item: unknown) => hideInValue(item, provider, isAnswer));
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }
  return isObject(value) ? hideInMembers(value, provider, isAnswer) : value;
}

/** A longer text may be a file. */
const sentencesMax = 2_000;
/** What is longer than this and no file is hidden unread. */
const searchedMax = 65_536;
const fileAddress = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.=+-]+){0,4},/;
/** No address can do without one of these, and base64 has none; its lines may be short. */
const notBase64 = /[^-A-Za-z0-9+/_=\r\n]/;

/** withoutKeys has already removed the provider's own keys from every answer. */
function hideInText(text: string, provider: Provider): string {
  if (text.length > sentencesMax && !notBase64.test(text.replace(fileAddress, ""))) return text;
  return text.length > searchedMax ? hidden : hideSecrets(text, provider);
}
