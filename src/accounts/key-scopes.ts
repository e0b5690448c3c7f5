// The scopes of a key: each takes a group of operations away. A new operation falls into its group by what it is, not by a list.
import type { components } from "../../generated/api.d.ts";
import { type OperationId, operations } from "../../generated/operations.ts";

export type KeyScope = components["schemas"]["KeyScope"];

const media = new Set<OperationId>(["createImage", "createImageEdit", "createImageVariation", "createVideo", "runGenmedia"]);
const audio = new Set<OperationId>([
  "createMusic",
  "createSoundEffect",
  "createSpeech",
  "createTranscription",
  "createTranslation",
  "understandAudio",
  "cloneVoice",
  "designVoice",
]);
/** They answer a question and change nothing. */
const reads = new Set<OperationId>(["createQuote", "countMessageTokens", "countResponseTokens"]);

const denies: Record<KeyScope, (operation: OperationId) => boolean> = {
  read_only: (id) => operations[id].method !== "get" && !reads.has(id),
  no_media: (id) => media.has(id),
  no_audio: (id) => audio.has(id),
  // What a dashboard reads, too: keys, usage, money, limits.
  no_account: (id) => operations[id].auth === "key_or_session",
};

export const keyScopes = Object.keys(denies) as KeyScope[];

export const deniedBy = (scope: KeyScope, operation: OperationId): boolean => denies[scope](operation);
