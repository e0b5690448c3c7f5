// The protocol of MiniMax (docs/behaviour/providers.md#minimax): its paths. One state for each simulator:
// uploaded samples and the voices made of them.
import { LRUCache } from "lru-cache";
import type { LiveOperation, SimulatorProtocol } from "../protocol.ts";
import { renderRefusal, rewordRefusal } from "./errors.ts";
import { planMusic, planSpeech } from "./audio.ts";
import { type VoiceSamples, keepVoices, planClone, planDesign, planUpload, planVoiceList } from "./voices.ts";

const samplesMax = 5000;

export function openMinimax(): SimulatorProtocol {
  const voices = keepVoices();
  const samples: VoiceSamples = new LRUCache({ max: samplesMax });
  const operations: Record<string, LiveOperation> = {
    "/v1/t2a_v2": (ask) => planSpeech(voices, ask),
    "/v1/get_voice": (ask) => planVoiceList(voices, ask),
    "/v1/files/upload": (ask) => planUpload(samples, ask),
    "/v1/voice_clone": (ask) => planClone(voices, samples, ask),
    "/v1/voice_design": (ask) => planDesign(voices, ask),
    "/v1/music_generation": planMusic,
  };
  return {
    name: "minimax",
    prefixes: ["/minimax"],
    findOperation: () => null,
    findLive: (method, path) => (method === "POST" && Object.hasOwn(operations, path) ? operations[path]! : null),
    rewordRefusal,
    renderRefusal,
    errorEndsStream: true,
  };
}
