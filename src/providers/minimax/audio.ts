// Speech and music over the `minimax` protocol (docs/behaviour/providers.md#minimax). Speech comes whole in one JSON answer, or as a stream.
import { type Clock, systemClock } from "../../clock.ts";
import { convertWhole, openConversion } from "../../sound/convert.ts";
import { type AudioFormat, audioFormats, mixedDown, readWav } from "../../sound/formats.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { speechFirstByteMs, streamAudio, wholeAudio } from "../transport/audio-stream.ts";
import { filesBytesMax, takeFilesOut } from "../transport/base64-files.ts";
import { exchange, isJson } from "../transport/exchange.ts";
import { inOrder } from "../transport/outlet.ts";
import { jsonRequest, parseObject, readRecordData, unreadable } from "../transport/json.ts";
import { endedEarly, openSseParser, type SseRecord } from "../transport/read-stream.ts";
import type { Upstream, UpstreamAnswer, UpstreamRequest } from "../transport/types.ts";
import type { Provider, UpstreamCall } from "../types.ts";
import type { AudioBody, FetchMade, MadeAudio, MakeMusic, MakeSpeech, SpeechOrder } from "../verbs/audio.ts";
import { assertNoError, minimaxError } from "./errors.ts";

type SpeechCall = UpstreamCall & { order: SpeechOrder };

export function minimaxSpeech(upstream: Upstream, clock: Clock = systemClock): MakeSpeech {
  return async (call) => {
    const asked = askedSpeech(call.order.format);
    const answer = await exchange(upstream, speechRequest(call, asked), clock, minimaxError);
    if (!call.order.progressive || isJson(answer)) return wholeSpeech(answer, call, asked); // an error of a streamed call comes as JSON too
    const conversion = asked.convertFrom === null ? null : await openConversion(asked.convertFrom, call.order.format);
    return streamAudio(hexPieces(answer.body, call.route.provider), conversion, call.signal);
  };
}

function speechRequest(call: SpeechCall, { setting }: AskedAudio): UpstreamRequest {
  const { text, voice, progressive } = call.order;
  const body = {
    model: call.route.model,
    text,
    stream: progressive,
    ...(progressive ? { stream_options: { exclude_aggregated_audio: true } } : { output_format: "hex" }),
    voice_setting: { voice_id: voice },
    audio_setting: setting,
  };
  return { ...jsonRequest(call, "/v1/t2a_v2", JSON.stringify(body), progressive), firstByteMs: speechFirstByteMs(text) };
}

async function wholeSpeech(answer: UpstreamAnswer, call: SpeechCall, { convertFrom }: AskedAudio): Promise<MadeAudio> {
  const { format } = call.order;
  const inside = takeFilesOut(await answer.body.bytes(filesBytesMax));
  const parsed = parseObject(inside.text);
  assertNoError(parsed, call.route.provider);
  const hex = textOf(objectOf(parsed["data"])["audio"]);
  const bytes = hex === null ? null : inside.hexOf(hex);
  if (bytes === null || bytes.length === 0) throw unreadable("the answer holds no audio");
  return wholeAudio(convertFrom === null ? bytes : await convertWhole(bytes, convertFrom, format, call.signal));
}

// Reads audio that MiniMax streams: server-sent records in hexadecimal, the last of which repeats the whole.

/** Characters of a record: the last one may hold all the audio of a long text. */
const recordCharactersMax = 67_108_864;
/** The body ends right after the last record; a host that keeps it open loses the socket. */
const lingerMs = 1_000;

function hexPieces(body: AudioBody, provider: Provider): AudioBody {
  async function read(onChunk: (chunk: Buffer) => void | Promise<void>): Promise<void> {
    const parser = openSseParser(recordCharactersMax);
    const digits = openDigits();
    const over = Promise.withResolvers<void>();
    let begun = false;
    let ended = false;

    function take(record: SseRecord): void | Promise<void> {
      const data = record.data.trim();
      if (ended || data === "" || data === "[DONE]") return;
      const parsed = readRecordData(data, "");
      if (!isObject(parsed)) throw unreadable("a record of the stream is not an object");
      assertNoError(parsed, provider);
      const { audio, status } = objectOf(parsed["data"]);
      const hex = textOf(audio);
      ended = status === 2;
      const bytes = hex === null || (ended && begun) ? nothing : digits.push(hex);
      if (hex !== null) begun = true;
      const pending = bytes.length === 0 ? undefined : onChunk(bytes);
      return ended ? finish(pending) : pending;
    }

    /** The reader gets the last piece first, whatever happens to the socket meanwhile. */
    async function finish(pending: void | Promise<void>): Promise<void> {
      try {
        await pending;
        if (!begun) throw unreadable("the stream holds no audio");
        digits.end();
        over.resolve();
        setTimeout(body.cancel, lingerMs).unref();
      } catch (error) {
        over.reject(error);
        throw error;
      }
    }

    async function readAll(): Promise<void> {
      await body.read((chunk) => inOrder(parser.push(chunk), take));
      await inOrder(parser.end(), take);
      if (ended) return;
      throw begun ? endedEarly() : unreadable("the stream holds no audio");
    }

    readAll().catch((error: unknown) => {
      const brokeAfterTheEnd = ended && error instanceof UpstreamError;
      if (!brokeAfterTheEnd) over.reject(error);
    });
    await over.promise;
  }
  return { read, cancel: body.cancel };
}

const nothing = Buffer.alloc(0);

/** Decodes hexadecimal that may be cut anywhere, also between the two digits of a byte. */
function openDigits() {
  let half = "";
  return {
    push(hex: string): Buffer {
      const all = half + hex;
      const whole = all.length - (all.length % 2);
      half = all.slice(whole);
      const bytes = Buffer.from(all.slice(0, whole), "hex"); // decoding stops at the first character that is not hexadecimal
      if (bytes.length * 2 !== whole) throw unreadable("a piece of the stream is not hexadecimal");
      return bytes;
    },
    end(): void {
      if (half !== "") throw unreadable("the stream ends within a byte");
    },
  };
}

// Music: one JSON answer with the song in hexadecimal or its URL.

/** A song takes some minutes, and then all of it comes at once. */
const firstByteMs = 600_000;

export function minimaxMusic(upstream: Upstream, fetchMade: FetchMade, clock: Clock = systemClock): MakeMusic {
  return async (call) => {
    const { prompt, lyrics, format } = call.order;
    const { provider, model } = call.route;
    const { setting, convertFrom } = askedMusic(format);
    const body = { model, prompt, ...(lyrics !== null && { lyrics }), stream: false, output_format: "hex", audio_setting: setting };
    const request = { ...jsonRequest(call, "/v1/music_generation", JSON.stringify(body)), firstByteMs };
    const answer = await exchange(upstream, request, clock, minimaxError);
    const inside = takeFilesOut(await answer.body.bytes(filesBytesMax));
    const parsed = parseObject(inside.text);
    assertNoError(parsed, provider);
    const audio = textOf(objectOf(parsed["data"])["audio"]);
    const isAddress = audio !== null && /^https?:\/\//i.test(audio);
    const bytes = isAddress ? await fetchMade(audio, provider, call.signal) : audio && inside.hexOf(audio);
    if (!bytes || bytes.length === 0) throw unreadable("the answer holds no audio");
    if (convertFrom === null) return { kind: "whole", bytes };
    const { pcm, sampleRate } = readWav(bytes) ?? { pcm: mixedDown(bytes, channelsOf(parsed)), sampleRate: convertFrom };
    return wholeAudio(await convertWhole(pcm, sampleRate, format, call.signal));
  };
}

function channelsOf(parsed: Json): number {
  const { music_channel, audio_channel } = objectOf(parsed["extra_info"]);
  return (music_channel ?? audio_channel) === 2 ? 2 : 1;
}

// Chooses the format to ask MiniMax for: the wanted one, or PCM to convert from.

interface AskedAudio {
  /** The request's `audio_setting`. */
  setting: { format: "mp3" | "pcm"; sample_rate: number; bitrate?: number; channel?: 1 };
  /** The sample rate of PCM that is still to be converted; null: the answer is already in the wanted format. */
  convertFrom: number | null;
}

const bitrates = new Set([32, 64, 128, 256]); // kbit/s
const speechRates = new Set([8_000, 16_000, 22_050, 24_000, 32_000, 44_100]);
const musicRates = new Set([16_000, 24_000, 32_000, 44_100]);

function askedSpeech(format: AudioFormat): AskedAudio {
  const asked = askedAudio(format, speechRates);
  return { ...asked, setting: { ...asked.setting, channel: 1 } };
}

/** PCM of music may have two channels and is therefore always converted. */
function askedMusic(format: AudioFormat): AskedAudio {
  const asked = askedAudio(format, musicRates);
  return asked.setting.format === "pcm" ? { ...asked, convertFrom: asked.setting.sample_rate } : asked;
}

function askedAudio(format: AudioFormat, rates: ReadonlySet<number>): AskedAudio {
  const { encoding, sampleRate, kbps } = audioFormats[format];
  const rate = rates.has(sampleRate) ? sampleRate : 44_100;
  if (encoding === "pcm" && rate === sampleRate) return { setting: { format: "pcm", sample_rate: rate }, convertFrom: null };
  const isNative = encoding === "mp3" && rate === sampleRate && bitrates.has(kbps!);
  if (isNative) return { setting: { format: "mp3", sample_rate: rate, bitrate: kbps! * 1_000 }, convertFrom: null };
  return { setting: { format: "pcm", sample_rate: rate }, convertFrom: rate };
}
