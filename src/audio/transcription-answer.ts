// What a transcription answers: its five formats, and the headers that every one of them has (gateway-api.md, transcriptions, response 200).
import type { components } from "../../generated/api.d.ts";
import { toUsd, usdText } from "../money.ts";
import { languageName } from "./language-name.ts";
import { srtOf, vttOf } from "./subtitles.ts";
import type { Transcribed } from "./transcribe.ts";

type Transcription = components["schemas"]["Transcription"];

export function transcriptionAnswer(transcribed: Transcribed) {
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

function headersOf({ asked: { model, alias }, served, seconds, bill }: Transcribed): Record<string, string> {
  return {
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

function bodyOf({ asked: { model }, request, transcript, served, seconds, bill }: Transcribed): Transcription {
  const { segments } = transcript;
  return {
    task: "transcribe",
    language: languageName(transcript.language, request.language),
    // gateway-api.md: 0 only when the plain-text fallback tier served; the bill says it all the same (WIRE.md 14 row 39).
    duration: served.layer === 3 ? 0 : seconds,
    text: transcript.text.trim(),
    ...(request.format === "verbose_json" && segments !== null ? { segments } : {}),
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
