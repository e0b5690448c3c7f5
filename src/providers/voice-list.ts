// Collects the voices that a provider lists, within bounds on their number and size; ids that can't be used in a request are dropped.
import { isVoiceId } from "../text/counted-text.ts";
import type { ProviderVoice } from "./verbs/audio.ts";

/** Three times the largest library. */
const voicesMax = 10_000;
/** Bytes of all pages together: libraries take some kilobytes a voice. */
export const listBytesMax = 67_108_864;

const bounds = { name: 200, description: 1_000, word: 100, words: 20, address: 2_000 };

interface VoiceList {
  /** A repeated id is ignored. */
  add(voice: ProviderVoice): void;
  isFull(): boolean;
  all(): ProviderVoice[];
}

export function openVoiceList(): VoiceList {
  const voices = new Map<string, ProviderVoice>();
  const isFull = () => voices.size >= voicesMax;
  return {
    isFull,
    add(voice) {
      if (!isFull() && isVoiceId(voice.voiceId) && !voices.has(voice.voiceId)) voices.set(voice.voiceId, withinBounds(voice));
    },
    all: () => [...voices.values()],
  };
}

function withinBounds({ voiceId, name, labels, previewUrl, description, tags }: ProviderVoice): ProviderVoice {
  const facets = Object.entries(labels).slice(0, bounds.words);
  return {
    voiceId,
    name: cut(name, bounds.name),
    labels: Object.fromEntries(facets.map(([facet, value]) => [cut(facet, bounds.word), cut(value, bounds.word)])),
    previewUrl: previewUrl !== null && previewUrl.length <= bounds.address ? previewUrl : null,
    description: description === null ? null : cut(description, bounds.description),
    tags: tags.slice(0, bounds.words).map((tag) => cut(tag, bounds.description)),
  };
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}
