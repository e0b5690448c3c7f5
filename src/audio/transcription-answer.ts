// The reply of a transcription or translation: its five formats, the events of a stream, and the headers that all of them have.
import type { components } from "../../generated/api.d.ts";
import type { Ask } from "../calls/ask.ts";
import { eventStreamHeaders, keepAliveMs, streamFault } from "../calls/event-stream.ts";
import { onSilence } from "../clock.ts";
import type { Context } from "../context.ts";
import { toUsd, usdText } from "../money.ts";
import type { Sink } from "../operation.ts";
import { audioCost } from "../pricing/audio-cost.ts";
import { type Piece, replayedTally, replayStream } from "../providers/transport/read-stream.ts";
import type { Transcript, TranscriptRecord, TranscriptStream } from "../providers/verbs/audio.ts";
import { streamEnded } from "../routing/attempt.ts";
import { watchEnding } from "./audio-reply.ts";
import { srtOf, vttOf } from "./subtitles.ts";
import { type Heard, isStream, type Transcribed } from "./transcribe.ts";

type Transcription = components["schemas"]["Transcription"];
type Diarized = components["schemas"]["DiarizedTranscription"];
type Translation = components["schemas"]["Translation"];

export const transcriptionAnswer = (transcribed: Transcribed) => answerWith(transcribed, transcriptionBody);
export const translationAnswer = (transcribed: Transcribed) => answerWith(transcribed, translationBody);

function answerWith<Body>(transcribed: Transcribed, bodyOf: (transcribed: Transcribed) => Body) {
  const { transcript, request } = transcribed;
  const headers = headersOf(transcribed);
  const asText = (type: string, text: string) => ({
    status: 200 as const,
    headers: { ...headers, "content-type": `${type}; charset=utf-8` },
    bytes: Buffer.from(text),
  });
  switch (request.format) {
    case "text":
      return asText("text/plain", `${transcript.text.trim()}\n`);
    case "srt":
      return asText("application/x-subrip", srtOf(transcript.segments ?? []));
    case "vtt":
      return asText("text/vtt", vttOf(transcript.segments ?? []));
    default:
      return { status: 200 as const, headers, body: bodyOf(transcribed) };
  }
}

type Billed = Pick<Transcribed, "asked" | "served" | "seconds" | "bill">;

function headersOf({ asked: { model, alias }, served, seconds, bill }: Billed): Record<string, string> {
  return {
    "x-litellm-response-cost": usdText(bill.cost),
    "x-svc-model": model.id,
    ...(alias === null ? {} : { "x-svc-alias": alias }),
    "x-svc-duration-sec": String(seconds),
    "x-svc-billable-minutes": String(bill.charge.units),
    "x-svc-cost-usd": usdText(bill.cost),
    "x-svc-balance-usd": usdText(bill.balance),
    ...(served.model === model ? {} : { "x-svc-fallback": served.model.id }),
    ...(served.layer === 0 ? {} : { "x-svc-fallback-layer": String(served.layer) }),
  };
}

function transcriptionBody(transcribed: Transcribed): Transcription | Diarized {
  const { transcript, request, seconds } = transcribed;
  const { speakers = null } = transcript;
  if (request.speakers !== null && speakers !== null)
    return { task: "transcribe", duration: seconds, text: transcript.text.trim(), segments: speakers, ...modelAndBill(transcribed) };
  return { task: "transcribe", language: languageName(transcript.language, request.language), ...textAndBill(transcribed) };
}

function translationBody(transcribed: Transcribed): Translation {
  return { task: "translate", language: "english", ...textAndBill(transcribed) };
}

function textAndBill(transcribed: Transcribed) {
  const { request, transcript, served, seconds } = transcribed;
  const { segments } = transcript;
  return {
    // 0 when a plain-text fallback served; the bill states the length anyway.
    duration: served.layer === 3 ? 0 : seconds,
    text: transcript.text.trim(),
    ...(request.format === "verbose_json" && segments !== null ? { segments } : {}),
    ...modelAndBill(transcribed),
  };
}

function modelAndBill({ asked: { model }, served, seconds, bill }: Billed) {
  return {
    model: model.id,
    billing: {
      duration_sec: seconds,
      billable_minutes: bill.charge.units,
      cost_usd: toUsd(bill.cost),
      balance_usd: toUsd(bill.balance),
      ...(served.model === model ? {} : { fallback: served.model.id }),
    },
  };
}

// A streamed transcript. Its head shows the balance as it will be after this charge, which is committed before the last event is sent
// (docs/behaviour/audio.md#streamed-transcripts).

export function streamedAnswer(context: Pick<Context, "log" | "breakers" | "publicUrl">, ask: Ask, heard: Heard) {
  const { call, charge, transcript } = heard;
  const cost = audioCost(charge);
  const headers = headersOf({ ...heard, bill: { charge, cost, balance: call.hold.balance - cost } });
  const source = isStream(transcript) ? transcript : replayed(transcript, ask.signal);
  const ending = watchEnding(context, ask, call, { charge, interruptedCode: "stream_interrupted", cancel: source.cancel });
  const stream = async (sink: Sink): Promise<void> => {
    call.isOut = true;
    const silence = onSilence(keepAliveMs, () => void sink.write(": keep-alive\n\n"));
    let end = { text: "", usage: null as Tokens | null };
    try {
      await source.forEach((record) => {
        silence.heard();
        if (record.type !== "transcript.text.done") return sink.write(eventOf(record));
        end = record;
      });
      streamEnded(context.breakers, call.attempts);
      const bill = await call.complete(charge);
      await sink.write(eventOf(doneEvent(end, { ...heard, bill })));
    } catch (cause) {
      const error = await ending.broke(cause);
      if (error !== null) await sink.write(`event: error\n${eventOf({ error: streamFault(context, ask) })}`);
    } finally {
      silence.stop();
      ending.stop();
    }
  };
  return { status: 200, headers: { ...headers, ...eventStreamHeaders }, stream };
}

type Tokens = components["schemas"]["TranscriptTokens"];
type Done = components["schemas"]["TranscriptDone"];

function doneEvent({ text, usage }: { text: string; usage: Tokens | null }, billed: Billed): Done {
  const length = { type: "duration" as const, seconds: billed.seconds };
  return { type: "transcript.text.done", text: text.trim(), usage: usage ?? length, ...modelAndBill(billed) };
}

function replayed({ text, speakers }: Transcript, signal: AbortSignal): TranscriptStream {
  const whole = text.trim();
  const pieces: Piece<TranscriptRecord>[] = [
    { record: { type: "transcript.text.delta", delta: whole }, characters: whole.length },
    ...(speakers ?? []).map((record) => ({ record, characters: 0 })),
    { record: { type: "transcript.text.done", text: whole, usage: null }, characters: 0 },
  ];
  return replayStream(pieces, replayedTally(null), signal);
}

function eventOf(record: object): string {
  return `data: ${JSON.stringify(record)}\n\n`;
}

// The full lower-case English name of a language, however it was given: clients map such names to codes.

/** The first of these that is a language, as a name or a code; else `unknown`. */
export function languageName(...given: readonly (string | null)[]): string {
  for (const one of given) {
    const name = one === null ? null : nameOf(one.trim());
    if (name !== null) return name;
  }
  return "unknown";
}

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Names for which clients use another word than the standard. */
const clientNames: Record<string, string> = { filipino: "tagalog" };

/** What upstreams report for no language, or for several. */
const noNames = new Set(["mul", "zxx", "unknown", "undetermined", "none", "auto", "multi", "multilingual"]);

function nameOf(text: string): string | null {
  if (noNames.has(text.toLowerCase())) return null;
  const code = /^([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*$/i.exec(text)?.[1];
  if (code !== undefined) {
    const name = names.of(code);
    return name === undefined ? null : plain(name);
  }
  return /^\p{L}[\p{L}\p{M} ()'-]{2,60}$/u.test(text) ? plain(text) : null;
}

/** Without accents, as in `maori`. */
function plain(name: string): string {
  const bare = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return clientNames[bare] ?? bare;
}
