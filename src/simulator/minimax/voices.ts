// The voices of MiniMax: three hundred of its own, always the same, and those that were cloned and designed here, which are
// listed once they have spoken.
import { LRUCache } from "lru-cache";
import type { Fields } from "../request-fields.ts";

export type MadeKind = "voice_cloning" | "voice_generation";

export interface Voices {
  has(id: string): boolean;
  /** A voice that is spoken with is listed from then on. */
  use(id: string): void;
  add(id: string, kind: MadeKind): void;
  listSystem(): readonly Fields[];
  listMade(kind: MadeKind): Fields[];
}

/** The oldest ones are forgotten first. */
const madeMax = 5000;
const languages = "English Chinese German French Spanish Portuguese Italian Japanese Korean Arabic Turkish Dutch".split(" ");
const speakers =
  "calm-woman wise-woman friendly-person inspirational-girl deep-voice-man casual-guy lively-girl patient-man young-knight determined-man " +
  "lovely-girl decent-boy imposing-manner elegant-man abbess sweet-girl exuberant-girl storyteller news-anchor audiobook-reader " +
  "gentle-grandmother cheerful-host serious-teacher radio-voice whispering-friend";
/** The simulator has no clock. */
const createdTime = "2026-01-01";

export function keepVoices(): Voices {
  const made = new LRUCache<string, { kind: MadeKind; isUsed: boolean }>({ max: madeMax });
  const system = inventVoices();
  const systemIds = new Set(system.map(({ voice_id }) => voice_id));
  return {
    has: (id) => systemIds.has(id) || made.has(id),
    use(id) {
      const voice = made.get(id);
      if (voice !== undefined) voice.isUsed = true;
    },
    add: (id, kind) => void made.set(id, { kind, isUsed: false }),
    listSystem: () => system,
    listMade: (kind) =>
      [...made.entries()]
        .filter(([, voice]) => voice.kind === kind && voice.isUsed)
        .map(([voice_id]) => ({ voice_id, description: [], created_time: createdTime })),
  };
}

/** English ones are named by the speaker alone. */
function inventVoices(): Fields[] {
  return languages.flatMap((language) =>
    speakers.split(" ").map((speaker) => {
      const words = speaker.replaceAll("-", " ");
      return {
        voice_id: language === "English" ? speaker : `${language}_${speaker}`,
        voice_name: words.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
        description: [`A ${words} who speaks ${language}.`, language.toLowerCase(), ...words.split(" ").slice(0, 1)],
      };
    }),
  );
}
