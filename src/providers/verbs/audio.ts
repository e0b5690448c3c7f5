// What adapters of audio take and give: transcripts, speech, music, sounds and voices. Types only. Every rule of the endpoint and of the
// model is already applied; what a call costs is not the adapters' business.
import type { components } from "../../../generated/api.d.ts";
import type { AudioFormat } from "../../sound/formats.ts";
import type { Provider, UpstreamCall } from "../types.ts";

/** A file on this disk that goes to an upstream; told by its bytes. It may be larger than memory should hold: it is streamed. */
export interface AudioFile {
  path: string;
  bytes: number;
  contentType: string;
  /** Without the dot. */
  extension: string;
}

export interface TranscriptionOrder {
  file: AudioFile;
  /** Its length: a long file takes its time. */
  seconds: number;
  /** ISO 639-1, lower case; null: to be detected. */
  language: string | null;
  /** Null: none. */
  prompt: string | null;
  /** 0 to 1. */
  temperature: number;
  /** False: the model gives text only. */
  timestamps: boolean;
}

/** What an upstream does not say of one is filled as WIRE.md 13.4 says. */
export type Segment = components["schemas"]["TranscriptionSegment"];

export interface Transcript {
  /** As the upstream said it: a name such as `english`, or a code; null: it did not. */
  language: string | null;
  /** Empty where nobody speaks. */
  text: string;
  /** In the order of time, numbered from 0, within the recording; null: the upstream gave none. */
  segments: Segment[] | null;
}

export interface TranscribeCall extends UpstreamCall {
  order: TranscriptionOrder;
}
/** Throws UpstreamError. */
export type Transcribe = (call: TranscribeCall) => Promise<Transcript>;

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
  /** Synthesise progressively, where the protocol can choose. */
  progressive: boolean;
}

export interface MusicOrder {
  prompt: string;
  /** Null: none, or the model ignores them. */
  lyrics: string | null;
  /** Asked for; null on models that choose their own length. */
  seconds: number | null;
  format: AudioFormat;
}

export interface SoundOrder {
  prompt: string;
  /** Null: the model chooses. */
  seconds: number | null;
  /** 0 to 1. */
  influence: number;
  format: AudioFormat;
}

/** Audio that still comes; it has begun: its first bytes are here, so no other route may be tried. */
export interface AudioBody {
  /** Every piece in order, none of them empty; while a returned promise is pending the upstream waits. May be called once. Rejects with UpstreamError where it broke. */
  read(onChunk: (chunk: Buffer) => void | Promise<void>): Promise<void>;
  /** Stops the upstream call; a pending read rejects. */
  cancel(): void;
}

/** In the format that was ordered, whatever the upstream has. `stream` from upstreams that send bytes as they come, else `whole`. */
export type MadeAudio = { kind: "whole"; bytes: Buffer } | { kind: "stream"; body: AudioBody };

/** All three throw UpstreamError; an answer without a byte of audio is `unreadable`. */
export type Say = (call: UpstreamCall & { order: SpeechOrder }) => Promise<MadeAudio>;
export type MakeMusic = (call: UpstreamCall & { order: MusicOrder }) => Promise<MadeAudio>;
export type MakeSound = (call: UpstreamCall & { order: SoundOrder }) => Promise<MadeAudio>;

/** A voice as its provider lists it. */
export interface ProviderVoice {
  voiceId: string;
  name: string;
  /** Facets; empty where the provider has none. */
  labels: Record<string, string>;
  /** HTTPS address of a sample; null: none. */
  previewUrl: string | null;
  /** A sentence; null: none. */
  description: string | null;
  /** Words that describe it; empty: none. */
  tags: string[];
}

/** Every system voice of the provider, in its own order; voices that were cloned or designed there are left out. Throws UpstreamError. */
export type ListVoices = (call: UpstreamCall) => Promise<ProviderVoice[]>;

export interface CloneOrder {
  file: AudioFile;
  /** The id that the voice is to have. */
  voiceId: string;
}
/** Throws UpstreamError, `rejected` for a clip that the model does not take. */
export type CloneVoice = (call: UpstreamCall & { order: CloneOrder }) => Promise<void>;

export interface DesignOrder {
  /** Gender and age, where they were given, are part of it. */
  description: string;
  /** Null: a sentence of our own. */
  previewText: string | null;
  /** The id that the voice is to have. */
  voiceId: string;
}
/** Returns the id that the provider gave the voice, which may be another than was asked for. Throws UpstreamError. */
export type DesignVoice = (call: UpstreamCall & { order: DesignOrder }) => Promise<{ voiceId: string }>;

/** Loads audio that a provider made and named by an address (src/media). Throws UpstreamError. */
export type FetchMade = (url: string, provider: Pick<Provider, "baseUrl">, signal: AbortSignal) => Promise<Buffer>;
