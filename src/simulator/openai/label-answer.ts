// How a model named `decide…` answers where a message lists options under letters (`A) refund: Give the money back.`):
// with the letter of the option that shares most words with what the user said.
import { pick, type Random } from "../seed.ts";
import { textOf, type ChatRequest } from "./chat-request.ts";

interface Option {
  label: string;
  text: string;
}

const optionLine = /^([A-Z])\) (.*)$/gm;

/** The letters that may be said; none where nothing was listed, or to another model. */
export function labelsListed({ model, messages }: Pick<ChatRequest, "model" | "messages">): string[] {
  return optionsListed({ model, messages }).map(({ label }) => label);
}

/** Null: there are no letters to choose from. */
export function chooseLabel(request: ChatRequest, random: Random): string[] | null {
  const options = optionsListed(request);
  if (options.length === 0 || request.documentSchema !== null) return null;
  const said = wordsOf(request.userText);
  const scores = options.map(({ text }) => [...wordsOf(text)].filter((word) => said.has(word)).length);
  const most = Math.max(...scores);
  return [
    pick(
      random,
      options.filter((_, at) => scores[at] === most),
    ).label,
  ];
}

function optionsListed({ model, messages }: Pick<ChatRequest, "model" | "messages">): Option[] {
  const instructions = model.includes("decide") ? textOf(messages.find(({ role }) => role === "system")?.["content"]) : "";
  return [...instructions.matchAll(optionLine)].map(([, label = "", text = ""]) => ({ label, text }));
}

/** Of four letters or more: shorter ones are in every text. */
function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
}
