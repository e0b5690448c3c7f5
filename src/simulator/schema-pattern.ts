// A text that a plain regular expression accepts: literals, classes, groups, alternatives and counts.
// Whatever it makes is checked against the expression; what it can't make is null, never wrong.
import { pick, wholeBetween, type Random } from "./seed.ts";

/** Repetitions without an upper bound are short. */
const repeatsMax = 4;

export function samplePattern(pattern: string, random: Random): string | null {
  try {
    const made = alternatives({ rest: pattern, random });
    return new RegExp(pattern, "u").test(made) ? made : null;
  } catch {
    return null;
  }
}

interface Reader {
  rest: string;
  random: Random;
}

function alternatives(reader: Reader): string {
  const made = [sequence(reader)];
  while (reader.rest.startsWith("|")) {
    reader.rest = reader.rest.slice(1);
    made.push(sequence(reader));
  }
  return pick(reader.random, made);
}

function sequence(reader: Reader): string {
  let text = "";
  while (reader.rest !== "" && !reader.rest.startsWith("|") && !reader.rest.startsWith(")")) {
    if (take(reader, /^[\^$]/) !== null) continue;
    const before = reader.rest;
    let made = atom(reader);
    const after = reader.rest;
    const count = repetitions(reader);
    const rest = reader.rest;
    if (count === 0) made = "";
    for (let again = 1; again < count; again += 1) {
      // The atom is read again for each repetition, so that [a-z]{3} isn't three times the same letter.
      reader.rest = before.slice(0, before.length - after.length);
      made += atom(reader);
    }
    reader.rest = rest;
    text += made;
  }
  return text;
}

function atom(reader: Reader): string {
  if (take(reader, /^\((\?:|\?<\w+>)?(?!\?)/) !== null) {
    const made = alternatives(reader);
    if (take(reader, /^\)/) === null) throw new Error("unclosed group");
    return made;
  }
  const set = take(reader, /^\[(?:\\.|[^\]\\])*\]/) ?? take(reader, /^\\[dws]/) ?? take(reader, /^\./);
  if (set !== null) {
    const matcher = new RegExp(`^${set}$`, "u");
    const fitting = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ .,:/@+#"
      .split("")
      .filter((character) => matcher.test(character));
    if (fitting.length === 0) throw new Error("no character fits");
    return pick(reader.random, fitting);
  }
  const escaped = take(reader, /^\\[^a-zA-Z0-9]/);
  if (escaped !== null) return escaped.slice(1);
  const literal = take(reader, /^[^\\()[\]{}*+?]/u);
  if (literal === null) throw new Error("not a plain expression");
  return literal;
}

function repetitions(reader: Reader): number {
  const mark = take(reader, /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/);
  if (mark === null) return 1;
  if (mark.startsWith("*")) return wholeBetween(reader.random, 0, repeatsMax);
  if (mark.startsWith("+")) return wholeBetween(reader.random, 1, repeatsMax);
  if (mark.startsWith("?")) return wholeBetween(reader.random, 0, 1);
  const [min, max] = mark.replace(/[{}?]/g, "").split(",");
  const low = Math.min(Number(min), 1000);
  return max === undefined
    ? low
    : wholeBetween(reader.random, low, max === "" ? low + repeatsMax : Math.min(Number(max), low + repeatsMax));
}

function take(reader: Reader, regex: RegExp): string | null {
  const match = regex.exec(reader.rest);
  if (match === null) return null;
  reader.rest = reader.rest.slice(match[0].length);
  return match[0];
}
