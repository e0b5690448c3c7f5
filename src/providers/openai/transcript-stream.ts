// Streamed transcripts over the `openai` protocol: the form of audio.ts with `stream`, and the events that come back, read into the records of
// a TranscriptStream.
import { type Clock, systemClock } from "../../clock.ts";
import { withoutKeys } from "../errors/hide-secrets.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { count, isObject, type Json } from "../json/read.ts";
import { exchange, isJson } from "../transport/exchange.ts";
import { readRecordData, unreadable } from "../transport/json.ts";
import { inOrder, openOutlet } from "../transport/outlet.ts";
import { newTally, readStream, type SseRecord, type StreamReader } from "../transport/read-stream.ts";
import type { Upstream } from "../transport/types.ts";
import type { Tally } from "../types.ts";
import type { SpeakerSegment, StreamTranscript, TranscribeCall, TranscriptEnd, TranscriptRecord } from "../verbs/audio.ts";
import { faultOfForm, firstByteMsMax, readSpeaker, transcriptBytesMax, transcriptionRequest, wholeTranscript } from "./audio.ts";
import { recordError } from "./record-reader.ts";

/** The stream begins with its first word: until then another route may be tried, and silence has its own answer. */
export function openaiTranscriptStream(upstream: Upstream, clock: Clock = systemClock): StreamTranscript {
  return async (call) => {
    try {
      const answer = await exchange(upstream, transcriptionRequest(call, true), clock);
      if (isJson(answer)) return await wholeTranscript(answer, call);
      return await readStream(answer, (onEnd) => transcriptReader(call, onEnd), call, firstByteMsMax);
    } catch (error) {
      throw error instanceof UpstreamError ? faultOfForm(error) : error;
    }
  };
}

function transcriptReader(
  { order: { seconds, speakers = null }, route }: TranscribeCall,
  onEnd: () => void,
): StreamReader<TranscriptRecord, Tally> {
  const tally = newTally();
  const outlet = openOutlet<TranscriptRecord>(() => undefined, onEnd);
  const charactersMax = transcriptBytesMax(seconds);
  let received = 0;
  let segments = 0;
  /** White space before the first word. */
  let held = "";

  function add(delta: string): TranscriptRecord[] {
    held += delta;
    if (tally.characters === 0 && held.trim() === "") return [];
    const record: TranscriptRecord = { type: "transcript.text.delta", delta: held };
    tally.characters += held.length;
    tally.deltas += 1;
    held = "";
    return [record];
  }

  function addSegment(segment: SpeakerSegment): TranscriptRecord[] {
    segments += 1;
    tally.characters += segment.text.length;
    return [segment];
  }

  function end(last: TranscriptEnd): TranscriptRecord[] {
    // Readers of deltas alone miss nothing, even of a host that sends none.
    const missed = tally.characters === 0 ? add(last.text) : [];
    if (speakers !== null && segments === 0 && last.text.trim() !== "") throw unreadable("the stream says of no speaker what it has heard");
    tally.finished = true;
    return [...missed, last];
  }

  return {
    outlet,
    tally,
    take(sent) {
      received += sent.data.length;
      if (received > charactersMax) throw unreadable("the transcript is larger than its recording allows");
      const event = readEvent(sent, outlet.begun, route.provider);
      if (event === null) return;
      if (typeof event === "string") return inOrder(add(event), outlet.emit);
      if ("segment" in event) {
        if (speakers === null) return;
        return inOrder(addSegment(readSpeaker(event.segment, segments, seconds)), outlet.emit);
      }
      const pending = inOrder(end(event), outlet.emit);
      if (pending) return pending.then(outlet.end);
      outlet.end();
    },
    isEmpty: () => received === 0,
    isWhole: () => tally.finished,
    finish: outlet.end,
  };
}

/** The text of a delta, a segment as it came, or the end; null for what says none of these, such as kinds of events that are not known here. */
function readEvent(
  { data: sent, event }: SseRecord,
  begun: boolean,
  provider: TranscribeCall["route"]["provider"],
): string | { segment: Json } | TranscriptEnd | null {
  const data = withoutKeys(sent, provider);
  if (data.trim() === "" || data.trim() === "[DONE]") return null;
  const value = readRecordData(data, event);
  if (event === "error") throw recordError(value, begun, provider);
  if (!isObject(value)) throw unreadable("a record of the stream is not an object");
  if (value["error"] != null || value["type"] === "error") throw recordError(value["error"] ?? value, begun, provider);
  const { type, delta, text } = value;
  if (type === "transcript.text.delta" && typeof delta === "string") return delta;
  if (type === "transcript.text.done" && typeof text === "string") return { type, text, usage: readTokens(value["usage"]) };
  if (type === "transcript.text.segment") return { segment: value };
  if (type === "transcript.text.delta" || type === "transcript.text.done") throw unreadable("a record of the stream has no text");
  return null;
}

function readTokens(usage: unknown): TranscriptEnd["usage"] {
  if (!isObject(usage)) return null;
  const input = count(usage["input_tokens"]);
  const output = count(usage["output_tokens"]);
  if (input === null || output === null) return null;
  return { type: "tokens", input_tokens: input, output_tokens: output, total_tokens: input + output };
}
