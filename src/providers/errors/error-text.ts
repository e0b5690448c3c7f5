// Reads an error body of any shape: its codes, and one sentence that may be shown. faults.ts decides what it means.
import { parseJson } from "../../json/parse.ts";
import { hideSecrets } from "./hide-secrets.ts";
import type { Provider } from "../types.ts";
import { arrayOf, isObject, objectOf, textOf, type Json } from "../json/read.ts";

export interface ErrorSigns {
  /** Codes and types in lower case, from wherever the body has them. */
  words: Set<string>;
  /** A numeric code inside the body: an HTTP status in most hosts. */
  status: number | null;
  /** The upstream's sentence, unchanged; null where the body has none. */
  message: string | null;
  /** The parameter at fault, as the upstream names it. */
  param: string | null;
}

/** The sentence is repeated in an error reply, so a longer text is cut. */
const reasonCharacters = 500;

export function readErrorBody(text: string): ErrorSigns {
  try {
    return readErrorValue(parseJson(text));
  } catch {
    return { words: new Set(), status: null, message: pageText(text), param: null };
  }
}

/**
 * The error inside an answer or chunk of status 200, for readErrorValue; null where there is none. OpenRouter and vLLM: `error`;
 * Groq: `x_groq.error`; older vLLM: a flat object.
 */
export function errorUnderOk(answer: Json): unknown {
  const error = answer["error"] ?? objectOf(answer["x_groq"])["error"] ?? null;
  if (error !== null) return answer["error"] ? answer : error;
  return answer["object"] === "error" ? answer : null;
}

/** Accepts `{error:{…}}`, `{error:"text"}`, `{message}`, `{detail}`, arrays of these, and the inner object itself. */
export function readErrorValue(value: unknown): ErrorSigns {
  const body: unknown = Array.isArray(value) ? value[0] : value; // Gemini answers with an array
  if (typeof body === "string") return { words: new Set(), status: null, message: textOf(body), param: null };
  if (!isObject(body)) return { words: new Set(), status: null, message: null, param: null };
  const inner = [body, objectOf(body["error"]), objectOf(body["detail"]), objectOf(objectOf(body["detail"])["error"])];
  const deeper = inner.flatMap((part) => [objectOf(part["innererror"]), objectOf(part["inner_error"]), objectOf(part["metadata"])]);
  const all = [...inner, ...deeper];
  return { words: new Set(all.flatMap(wordsOf)), status: firstStatus(all), message: messageOf(body), param: firstParam(inner) };
}

/** Cuts the message to one sentence without control characters and without anything that could be a secret. */
export function safeReason(message: string | null, provider: Provider, otherwise: string): string {
  const text = hideSecrets((message ?? otherwise).slice(0, 4 * reasonCharacters), provider)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const characters = [...text];
  const cut = characters.length > reasonCharacters ? `${characters.slice(0, reasonCharacters - 1).join("")}…` : text;
  return cut === "" ? otherwise : cut;
}

/** Addresses in an upstream's sentence would show which provider it is. */
export function hideAddresses(message: string): string {
  return message.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, "[hidden]");
}

/** A parameter's name is a short plain string; anything else is dropped rather than cut. */
export function safeParam(param: string | null, provider: Provider): string | null {
  if (param === null || param.length > 200 || /\p{Cc}/u.test(param)) return null;
  return hideSecrets(param, provider) === param ? param : null;
}

/** The upstream's word for a failure, stored with a job and shown; a sentence in its place is dropped. */
export function safeWord(word: string, provider: Provider): string {
  return /^[\w.:-]{1,64}$/.test(word) && hideSecrets(word, provider) === word ? word : "unknown_error";
}

function wordsOf(part: Json): string[] {
  const words = [part["code"], part["type"], part["status"], part["error_type"], part["reason"]];
  if ("flagged_input" in part) words.push("moderation"); // OpenRouter's only sign of a moderation
  return words.filter((word): word is string => typeof word === "string").map((word) => word.toLowerCase());
}

function firstStatus(parts: Json[]): number | null {
  for (const part of parts) {
    const code = Number(part["code"] ?? part["status_code"]);
    if (Number.isInteger(code) && code >= 400 && code < 600) return code;
  }
  return null;
}

function firstParam(parts: Json[]): string | null {
  return parts.map((part) => textOf(part["param"])).find((param) => param !== null) ?? null;
}

function messageOf(body: Json): string | null {
  const { error, detail } = body;
  const found = [
    textOf(objectOf(error)["message"]),
    textOf(error),
    textOf(body["message"]),
    textOf(detail),
    textOf(objectOf(detail)["message"]),
    textOf(objectOf(detail)["error"]),
    textOf(objectOf(objectOf(detail)["error"])["message"]),
    arrayOf(detail).map(validationText).filter(Boolean).join("; ") || null, // FastAPI
    textOf(objectOf(arrayOf(body["errors"])[0])["message"]),
    textOf(body["msg"]),
  ];
  return found.find((text) => text !== null) ?? null;
}

function validationText(entry: unknown): string {
  const { loc, msg } = objectOf(entry);
  return typeof msg === "string" ? `${arrayOf(loc).join(".")}: ${msg}` : "";
}

/** The title of a proxy's HTML page; other text unchanged. */
function pageText(text: string): string | null {
  const start = text.slice(0, 8_000);
  if (!/^\s*</.test(start)) return textOf(start.trim());
  const title = /<title[^>]{0,200}>([^<]{1,300})/i.exec(start);
  return textOf((title?.[1] ?? start.replace(/<[^>]{0,500}>/g, " ")).trim());
}
