// What adapters of audio take and return: transcripts, speech, music, sound effects and voices. Types only. The rules of the endpoint and
// of the model are already applied.
import type { components } from "../../../generated/api.d.ts";
import type { AudioFormat } from "../../sound/formats.ts";
import type { AnswerStream, Provider, UpstreamCall } from "../types.ts";

/** A file on the local disk that is sent upstream; recognised by its bytes. It may be too large for memory and is streamed. */
export interface AudioFile {
  path: string;
  bytes: number;
  contentType: string;
  /** Without the dot. */
  extension: string;
}

export interface TranscriptionOrder {
  /** `translate`: to English text, whatever language is spoken. */
  task: "transcribe" | "translate";
  file: AudioFile;
  /** Duration in seconds: a long file takes longer. */
  seconds: number;
  /** ISO 639-1, lower case; null: the host detects it. */
  language: string | null;
  /** Null: none. */
  prompt: string | null;
  /** 0 to 1. */
  temperature: number;
  /** False: the model returns text only. */
  timestamps: boolean;
  /** Speakers are told apart, the known ones by their names; null or absent: they are not. */
  speakers?: readonly KnownSpeaker[] | null;
}

export interface KnownSpeaker {
  name: string;
  /** A recording as a `data:` URL. */
  reference: string;
}

/** What one speaker says. */
export type SpeakerSegment = components["schemas"]["TranscriptSegment"];

/** Fields that a host leaves out are filled (docs/behaviour/providers.md#whole-answers). */
export type Segment = components["schemas"]["TranscriptionSegment"];

export interface Transcript {
  /** As the upstream reports it: a name such as `english`, or a code; null where it reports none. */
  language: string | null;
  /** Empty for a recording without speech. */
  text: string;
  /** Sorted by time, numbered from 0, within the recording; null where the upstream gave none. */
  segments: Segment[] | null;
  /** Sorted by time; absent where the order asks for none. */
  speakers?: SpeakerSegment[];
}

export interface TranscribeCall extends UpstreamCall {
  order: TranscriptionOrder;
}
/** Throws UpstreamError. */
export type Transcribe = (call: TranscribeCall) => Promise<Transcript>;

/** What an upstream says while it transcribes; the last record is the end. */
export type TranscriptRecord = components["schemas"]["TranscriptDelta"] | SpeakerSegment | TranscriptEnd;

/** Its usage is null where the upstream counts no tokens. */
export interface TranscriptEnd extends Pick<components["schemas"]["TranscriptDone"], "type" | "text"> {
  usage: components["schemas"]["TranscriptTokens"] | null;
}

/** Its tally is finished without characters where nothing was heard. */
export type TranscriptStream = AnswerStream<TranscriptRecord>;

/** The transcript is whole where a host ignored `stream`. Throws UpstreamError. */
export type StreamTranscript = (call: TranscribeCall) => Promise<TranscriptStream | Transcript>;

export interface VoiceSettings {
  stability?: number;
  similarity_boost?: number;
  style?: number;
  use_speaker_boost?: boolean;
}

export interface SpeechOrder {
  /** After NFC. */
  text: string;
  /** The provider's id of the voice. */
  voice: string;
  format: AudioFormat;
  settings: VoiceSettings;
  /** Whether to synthesise progressively, where the protocol can choose. */
  progressive: boolean;
}

export interface MusicOrder {
  prompt: string;
  /** Null without lyrics, or for a model that ignores them. */
  lyrics: string | null;
  /** The requested length; null for models that choose their own. */
  seconds: number | null;
  format: AudioFormat;
}

export interface SoundOrder {
  prompt: string;
  /** Requested length; null: the model chooses. */
  seconds: number | null;
  /** Prompt influence, 0 to 1. */
  influence: number;
  format: AudioFormat;
}

/** Streamed audio that has begun: its first bytes are here, so no other route may be tried. */
export interface AudioBody {
  /**
   * Hands over every chunk in order, never an empty one; while a returned promise is pending the upstream waits. Call it once. Rejects
   * with UpstreamError where the stream was interrupted.
   */
  read(onChunk: (chunk: Buffer) => void | Promise<void>): Promise<void>;
  /** Stops the upstream call; a pending read rejects. */
  cancel(): void;
}

/** In the requested format, whatever the upstream's own is. `stream` for upstreams that send bytes as they come, else `whole`. */
export type MadeAudio = { kind: "whole"; bytes: Buffer } | { kind: "stream"; body: AudioBody };

/** All three throw UpstreamError; an answer without audio is `unreadable`. */
export type MakeSpeech = (call: UpstreamCall & { order: SpeechOrder }) => Promise<MadeAudio>;
export type MakeMusic = (call: UpstreamCall & { order: MusicOrder }) => Promise<MadeAudio>;
export type MakeSound = (call: UpstreamCall & { order: SoundOrder }) => Promise<MadeAudio>;

/** A voice as its provider lists it. */
export interface ProviderVoice {
  voiceId: string;
  name: string;
  /** Facets such as gender and accent; empty where the provider has none. */
  labels: Record<string, string>;
  /** HTTPS address of a sample; null: none. */
  previewUrl: string | null;
  /** A sentence; null: none. */
  description: string | null;
  /** Words that describe it. */
  tags: string[];
}

/** Every system voice of the provider, in its own order, without voices that were cloned or designed there. Throws UpstreamError. */
export type ListVoices = (call: UpstreamCall) => Promise<ProviderVoice[]>;

interface CloneOrder {
  file: AudioFile;
  /** The id that the voice is to get. */
  voiceId: string;
}
/** Throws UpstreamError, `rejected` for a voice sample that the model doesn't take. */
export type CloneVoice = (call: UpstreamCall & { order: CloneOrder }) => Promise<void>;

interface DesignOrder {
  /** Includes gender and age, where they were given. */
  description: string;
  /** Null: the adapter uses a sentence of its own. */
  previewText: string | null;
  /** The id that the voice is to get. */
  voiceId: string;
}
/** Returns the id that the provider gave the voice, which may differ from the requested one. Throws UpstreamError. */
export type DesignVoice = (call: UpstreamCall & { order: DesignOrder }) => Promise<{ voiceId: string }>;

/** Downloads audio that a provider made and answered with a URL (src/media). Throws UpstreamError. */
export type FetchMade = (url: string, provider: Pick<Provider, "baseUrl">, signal: AbortSignal) => Promise<Buffer>;
