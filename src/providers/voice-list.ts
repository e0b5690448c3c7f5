// Collects the voices that a provider lists, within bounds on their number and size, without what is the operator's; ids that can't be used
// in a request are dropped.
import { hostOf, isPublicHost } from "../network/address.ts";
import { isVoiceId } from "../text/counted-text.ts";
import { hideSecrets } from "./errors/hide-secrets.ts";
import type { Provider } from "./types.ts";
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

export function openVoiceList(provider: Provider): VoiceList {
  const voices = new Map<string, ProviderVoice>();
  const isFull = () => voices.size >= voicesMax;
  return {
    isFull,
    add(voice) {
      if (!isFull() && isVoiceId(voice.voiceId) && !voices.has(voice.voiceId)) voices.set(voice.voiceId, shownOf(voice, provider));
    },
    all: () => [...voices.values()],
  };
}

function shownOf({ voiceId, name, labels, previewUrl, description, tags }: ProviderVoice, provider: Provider): ProviderVoice {
  // The cut comes last, or it would stand inside what is to be hidden.
  const shown = (text: string, max: number) => cut(hideSecrets(text.slice(0, max + 200), provider), max);
  const facets = Object.entries(labels).slice(0, bounds.words);
  return {
    voiceId,
    name: shown(name, bounds.name),
    labels: Object.fromEntries(facets.map(([facet, value]) => [shown(facet, bounds.word), shown(value, bounds.word)])),
    previewUrl: previewUrl !== null && isPublicSample(previewUrl, provider) ? previewUrl : null,
    description: description === null ? null : shown(description, bounds.description),
    tags: tags.slice(0, bounds.words).map((tag) => shown(tag, bounds.description)),
  };
}

/** An address that any client may load, and that shows nothing of the provider's own. */
function isPublicSample(address: string, provider: Provider): boolean {
  const url = address.length > bounds.address ? null : URL.parse(address);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  return isPublicHost(hostOf(url), { allowPrivate: false }) && hideSecrets(address, provider) === address;
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}
