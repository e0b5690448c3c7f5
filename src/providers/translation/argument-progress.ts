// Whether the arguments of a tool call, as they come piece by piece, are a whole JSON object yet. Keeps nothing of them.

export interface ArgumentProgress {
  depth: number;
  inString: boolean;
  escaped: boolean;
  state: "empty" | "open" | "complete" | "broken";
}

export function newProgress(): ArgumentProgress {
  return { depth: 0, inString: false, escaped: false, state: "empty" };
}

/** An object closes once: anything but white space after it, or before it, is no object. */
export function advance(progress: ArgumentProgress, piece: string): void {
  for (const character of piece) {
    if (progress.inString) inString(progress, character);
    else if (!isSpace(character)) outside(progress, character);
  }
}

function inString(progress: ArgumentProgress, character: string): void {
  if (progress.escaped) progress.escaped = false;
  else if (character === "\\") progress.escaped = true;
  else if (character === '"') progress.inString = false;
}

function outside(progress: ArgumentProgress, character: string): void {
  if (progress.state === "empty") progress.state = character === "{" ? "open" : "broken";
  else if (progress.state === "complete") progress.state = "broken";
  if (progress.state !== "open") return;
  if (character === '"') progress.inString = true;
  else if (character === "{" || character === "[") progress.depth += 1;
  else if ((character === "}" || character === "]") && --progress.depth === 0) progress.state = "complete";
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}
