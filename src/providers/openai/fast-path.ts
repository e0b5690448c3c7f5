// Forwards a chunk without parsing it where it differs from an earlier one in a single string: parsing every chunk costs up to 60 %
// (docs/behaviour/operation.md#performance). All other chunks go through chunk.ts, which stays the only place with rules.
//
// A template is a chunk cut around that string, and chunk.ts's output for it, cut likewise. A record with the same head and tail around
// a well-formed piece of JSON string is the same chunk with another text: a JSON string ends at its first unescaped quote, so no text
// can pass for structure.
import { parseJson } from "../../json/parse.ts";
import { isObject, type Json, objectOf } from "../json/read.ts";
import { stringEnd } from "../json/splice.ts";
import type { ChatTally } from "../verbs/chat.ts";

interface Template {
  head: string;
  tail: string;
  /** For OpenAI, which pads chunks with random letters: what follows the padding; the tail then ends before it. */
  afterPadding: string | null;
  outHead: string;
  outTail: string;
}

interface FastPath {
  /** The output for a record of a known form, its text counted; null: the form is unknown. */
  forward(data: string): string | null;
  /** `out` is chunk.ts's output for `data`, in a state that the next chunk of this form doesn't change. */
  learn(data: string, out: string): void;
  /** Called when a tool call started or a choice ended: the same chunk may mean something else now. */
  forget(): void;
}

/** Room for text, reasoning, arguments and a second choice. */
const templatesMax = 4;
/** After that many failures a host whose chunks all differ is no longer learned from. */
const attemptsMax = 16;
/** These need a closer look: a quote, an escape, or a control character that JSON forbids. */
const special = /["\\\u0000-\u001f]/;

const outNames = { content: "content", reasoning_content: "reasoning_content", reasoning: "reasoning_content", arguments: "arguments" };
type Field = keyof typeof outNames;
const textFields: readonly Field[] = ["content", "reasoning_content", "reasoning"];

export function openFastPath(tally: ChatTally): FastPath {
  let templates: Template[] = [];
  let attempts = 0;
  return {
    forward(data) {
      for (const template of templates) {
        const text = textIn(data, template);
        if (text === null) continue;
        const characters = characterCount(text);
        if (characters === -1) return null;
        tally.characters += characters;
        if (characters > 0) tally.deltas += 1;
        return template.outHead + text + template.outTail;
      }
      return null;
    },
    learn(data, out) {
      if (attempts >= attemptsMax || templates.length >= templatesMax) return;
      attempts += 1;
      const template = makeTemplate(data, out);
      if (template) templates.push(template);
    },
    forget() {
      templates = [];
    },
  };
}

function textIn(data: string, { head, tail, afterPadding }: Template): string | null {
  if (!isAt(data, head, 0)) return null;
  let end = data.length;
  if (afterPadding !== null) {
    const close = end - afterPadding.length;
    if (!isAt(data, afterPadding, close)) return null;
    end = data.lastIndexOf('"', close - 1) + 1;
    if (special.test(data.slice(end, close))) return null;
  }
  const textTo = end - tail.length;
  return textTo >= head.length && isAt(data, tail, textTo) ? data.slice(head.length, textTo) : null;
}

/** As startsWith, which V8 inlines as a loop over the characters: that took an eighth of a chunk's time. */
function isAt(text: string, part: string, at: number): boolean {
  return text.slice(at, at + part.length) === part;
}

/** Characters of a piece of JSON string; -1 where it is not one. */
function characterCount(text: string): number {
  if (!special.test(text)) return text.length;
  try {
    return (parseJson(`"${text}"`) as string).length;
  } catch {
    return -1;
  }
}

function makeTemplate(data: string, out: string): Template | null {
  const chunk = parseJson(data) as Json;
  const varying = varyingField(chunk);
  if (!varying) return null;
  const { field, holder } = varying;
  const cut = cutAround(data, field);
  const outCut = cutAround(out, outNames[field]);
  if (!cut || !outCut) return null;
  // The cut is right if and only if emptying the text gives the same as emptying the field.
  holder[field] = "";
  if (JSON.stringify(parsed(cut.head + cut.tail)) !== JSON.stringify(chunk)) return null;
  const padding = paddingIn(cut.tail, chunk["obfuscation"]);
  return { head: cut.head, tail: cut.tail, afterPadding: null, outHead: outCut.head, outTail: outCut.tail, ...padding };
}

/** The one string of a chunk that may vary, where the rest can be copied: no usage, no log probabilities, one choice. */
function varyingField(chunk: Json): { field: Field; holder: Json } | null {
  const choices = chunk["choices"];
  if (!Array.isArray(choices) || choices.length !== 1 || isObject(chunk["usage"]) || isObject(objectOf(chunk["x_groq"])["usage"]))
    return null;
  const choice = objectOf(choices[0]);
  const delta = objectOf(choice["delta"]);
  if (choice["logprobs"] != null || isObject(choice["usage"])) return null;
  const filled = textFields.filter((field) => delta[field] != null && delta[field] !== "");
  const call = Array.isArray(delta["tool_calls"]) && delta["tool_calls"].length > 0 ? delta["tool_calls"] : null;
  if (call === null) {
    const field = filled[0];
    return filled.length === 1 && typeof delta[field!] === "string" ? { field: field!, holder: delta } : null;
  }
  // Without an index, which call is meant depends on the chunks before.
  const { index, function: called } = objectOf(call[0]);
  if (filled.length > 0 || call.length !== 1 || typeof index !== "number" || !isObject(called) || called["name"]) return null;
  return typeof called["arguments"] === "string" ? { field: "arguments", holder: called } : null;
}

function cutAround(text: string, name: string): { head: string; tail: string } | null {
  for (const marker of [`"${name}":"`, `"${name}": "`]) {
    const at = text.indexOf(marker);
    if (at === -1 || text.indexOf(marker, at + 1) !== -1) continue;
    const from = at + marker.length;
    const to = stringEnd(text, from - 1);
    if (to !== -1) return { head: text.slice(0, from), tail: text.slice(to) };
  }
  return null;
}

function paddingIn(tail: string, padding: unknown): { tail: string; afterPadding: string } | null {
  if (typeof padding !== "string") return null;
  const marker = /"obfuscation": ?"/.exec(tail);
  const from = marker ? marker.index + marker[0].length : -1;
  if (from === -1 || !tail.startsWith(`${padding}"`, from) || tail.indexOf('"obfuscation"', from) !== -1) return null;
  return { tail: tail.slice(0, from), afterPadding: tail.slice(from + padding.length) };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
