// Made-up English. Words are chosen so that most of them begin and end on a token (four bytes),
// which lets a stream of tokens look like a real one: "The ", "old ", "harb", "our ".
import { pick, type Random, wholeBetween } from "./seed.ts";

/** Three letters and a space are one token, seven and a space two. */
const words = (
  "the and one two far low dry wet sea sky map key old new red sun ice oak owl fox may can " +
  "harbour lantern morning evening captain journey weather station silence pattern country village natural certain another " +
  "through quietly between machine measure balance chapter current deliver example history kitchen library message"
).split(" ");

/** Six letters, a full stop and a space are two tokens. */
const lastWords = "garden bridge window shadow island answer letter winter forest reason valley signal".split(" ");

/** How much of the user's message the answer repeats. Long prompts must not make long answers. */
const echoCharacters = 96;

/** Whole sentences, of at least so many tokens. */
export function writeSentences(random: Random, tokensMin: number): string {
  const sentences: string[] = [];
  for (let tokens = 0; tokens < tokensMin;) {
    const next = sentence(random);
    tokens += countTokens(next);
    sentences.push(next);
  }
  return sentences.join("").trimEnd();
}

/** `You said: "…"`, so that a reader and a test see which message was answered. */
export function echo(userText: string): string {
  const message = userText.toWellFormed().replace(/\s+/g, " ").trim();
  if (message === "") return "";
  const characters = Array.from(message.slice(0, 2 * echoCharacters));
  const shown = characters.slice(0, echoCharacters).join("");
  return `You said: "${shown}${shown.length < message.length ? "…" : ""}" `;
}

/** One to three plain words, for titles and string fields. */
export function writeWords(random: Random, count: number): string {
  return Array.from({ length: count }, () => pick(random, words)).join(" ");
}

function sentence(random: Random): string {
  const first = pick(random, words);
  const rest = Array.from({ length: wholeBetween(random, 3, 8) }, () => pick(random, words));
  return `${first[0]!.toUpperCase()}${first.slice(1)} ${rest.join(" ")} ${pick(random, lastWords)}. `;
}

// The simulator's token: four bytes of UTF-8. A character belongs to the token that its first byte lies in,
// so cutting a text into tokens never splits a character. Every protocol counts by this rule.

const bytesPerToken = 4;

/** Ceil(bytes / 4), except where the last character alone reaches over the border. */
export function countTokens(text: string): number {
  if (text.length === 0) return 0;
  const last =
    text.codePointAt(text.length - 1)! >= 0xdc00 && text.codePointAt(text.length - 1)! <= 0xdfff ? text.slice(-2) : text.slice(-1);
  const lastBegins = Buffer.byteLength(text) - Buffer.byteLength(last);
  return Math.floor(lastBegins / bytesPerToken) + 1;
}

/** The text cut into its tokens; joined they are the text again. */
export function splitTokens(text: string): string[] {
  const tokens: string[] = [];
  if (Buffer.byteLength(text) === text.length) {
    for (let at = 0; at < text.length; at += bytesPerToken) tokens.push(text.slice(at, at + bytesPerToken));
    return tokens;
  }
  let byte = 0;
  for (const character of text) {
    const token = Math.floor(byte / bytesPerToken);
    tokens[token] = (tokens[token] ?? "") + character;
    byte += Buffer.byteLength(character);
  }
  return tokens;
}
