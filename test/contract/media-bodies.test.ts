// What the schemas of media and audio accept and refuse: the bounds that are the contract's, and the rules that are the handler's and
// must therefore pass (lengths after NFC, a clamped n, sizes that snap, ranges of one model only).
import { describe, expect, test } from "vitest";
import { schema, validatorOf } from "./read-contract.ts";

function accepts(name: string, value: unknown): boolean {
  return validatorOf(name)(value);
}

const image = { model: "demo/image", prompt: "A boat" };
const pending = {
  id: "job_1",
  object: "image.job",
  status: "pending",
  model: "demo/image",
  created_at: "2026-11-21T10:00:00.000Z",
  completed_at: null,
  output: null,
  error: null,
  estimated_cost: 0.04,
  charged_amount: null,
  refunded_amount: null,
};

describe("an image request", () => {
  test("needs a model and a prompt", () => {
    expect(accepts("ImageRequest", image)).toBe(true);
    expect(accepts("ImageRequest", { model: "demo/image" })).toBe(false);
    expect(accepts("ImageRequest", { prompt: "A boat" })).toBe(false);
  });

  test("leaves to the handler what is clamped, snapped, cut or counted after NFC", () => {
    const decomposed = "e\u0301".repeat(4000);
    for (const field of [{ prompt: decomposed }, { n: 99 }, { n: -1 }, { n: 2.7 }, { size: "16:9" }, { size: "huge" }, { quality: "hd" }]) {
      expect({ field, ok: accepts("ImageRequest", { ...image, ...field }) }).toEqual({ field, ok: true });
    }
    const many = Array.from({ length: 40 }, (_, index) => `https://example.com/${index}.png`);
    expect(accepts("ImageRequest", { ...image, image_urls: many, idempotency_key: "k".repeat(500) })).toBe(true);
  });

  test("refuses an n that is no number, a size that is no string, image_urls that is no list of strings", () => {
    for (const field of [{ n: "2" }, { size: 1024 }, { image_urls: "https://example.com/a.png" }, { image_urls: [1] }, { extra: [] }]) {
      expect({ field, ok: accepts("ImageRequest", { ...image, ...field }) }).toEqual({ field, ok: false });
    }
  });

  test("ignores unknown fields", () => {
    expect(accepts("ImageRequest", { ...image, response_format: "b64_json" })).toBe(true);
  });
});

describe("a job", () => {
  test("has the six statuses of the specification and queued", () => {
    expect([...schema("JobStatus").enum!].sort()).toEqual([
      "expired",
      "failed",
      "pending",
      "processing",
      "queued",
      "refunded",
      "succeeded",
    ]);
  });

  test("has the fifteen error codes of the specification, and that of a job that an operator cancelled", () => {
    expect([...schema("JobErrorCode").enum!].sort()).toEqual(
      [
        ["content_policy", "content_policy_likeness", "content_policy_nsfw", "content_policy_unsafe", "moderation_blocked"],
        ["input_too_large", "input_invalid", "invalid_input", "prompt_too_long", "provider_timeout", "timeout"],
        ["provider_rate_limited", "provider_unavailable", "insufficient_credits", "provider_error", "job_cancelled"],
      ]
        .flat()
        .sort(),
    );
  });

  test("names every amount and time, null where it is not known yet", () => {
    expect(accepts("ImageJob", pending)).toBe(true);
    for (const field of ["completed_at", "output", "error", "estimated_cost", "charged_amount", "refunded_amount"]) {
      expect({ field, ok: accepts("ImageJob", { ...pending, [field]: undefined }) }).toEqual({ field, ok: false });
    }
    expect(accepts("ImageJob", { ...pending, estimated_cost: "0.04" })).toBe(false);
    expect(accepts("ImageJob", { ...pending, created_at: 1763719200 })).toBe(false);
  });

  test("in the queue has a turn, counted from 1", () => {
    const queued = {
      id: "job_1",
      object: "image.job",
      status: "queued",
      queue_position: 1,
      model: "demo/image",
      created_at: pending.created_at,
      estimated_cost: 0.04,
    };
    expect(accepts("QueuedImageJob", queued)).toBe(true);
    expect(accepts("QueuedImageJob", { ...queued, queue_position: 0 })).toBe(false);
    expect(accepts("QueuedImageJob", { ...queued, status: "pending" })).toBe(false);
  });

  test("tells its kind by object", () => {
    expect(accepts("MediaJob", pending)).toBe(true);
    expect(accepts("MediaJob", { ...pending, object: "video.job" })).toBe(true);
    expect(accepts("MediaJob", { ...pending, object: "audio.job" })).toBe(false);
    const output = {
      url: "https://example.com/a.mp4",
      metadata: { videos: [{ width: 1280, height: 720, duration_s: 5, fps: null, content_type: "video/mp4" }] },
    };
    expect(accepts("MediaJob", { ...pending, object: "video.job", output })).toBe(true);
    expect(accepts("MediaJob", { ...pending, output })).toBe(false);
  });
});

describe("a genmedia run", () => {
  test("takes its input nested or flat", () => {
    expect(accepts("GenmediaRequest", { model: "demo/image", input: { prompt: "A boat", seed: 7 } })).toBe(true);
    expect(accepts("GenmediaRequest", { model: "demo/image", prompt: "A boat", seed: 7 })).toBe(true);
    expect(accepts("GenmediaRequest", { prompt: "A boat" })).toBe(false);
    expect(accepts("GenmediaRequest", { model: "demo/image", input: "A boat" })).toBe(false);
  });

  test("unfinished names its two amounts as null", () => {
    const running = {
      request_id: "gm_1",
      status: "IN_QUEUE",
      model: "demo/image",
      hint: "Poll.",
      estimated_cost: 0.04,
      charged_amount: null,
      refunded_amount: null,
    };
    expect(accepts("GenmediaRunning", running)).toBe(true);
    expect(accepts("GenmediaRunning", { ...running, charged_amount: 0.04 })).toBe(false);
    expect(accepts("GenmediaRunning", { ...running, status: "COMPLETED" })).toBe(false);
  });
});

describe("a transcription by address", () => {
  const request = { audio_url: "https://example.com/a.mp3" };

  test("needs an HTTPS address", () => {
    expect(accepts("TranscriptionFromUrl", request)).toBe(true);
    for (const audio_url of ["http://example.com/a.mp3", "ftp://example.com/a.mp3", "data:audio/mpeg;base64,AA==", "", 5]) {
      expect({ audio_url, ok: accepts("TranscriptionFromUrl", { audio_url }) }).toEqual({ audio_url, ok: false });
    }
    expect(accepts("TranscriptionFromUrl", {})).toBe(false);
  });

  test("takes a temperature from 0 to 1, a two-letter language, one of five formats, and whether to stream", () => {
    for (const field of [{ temperature: 0 }, { temperature: 1 }, { language: "de" }, { response_format: "srt" }, { stream: true }]) {
      expect({ field, ok: accepts("TranscriptionFromUrl", { ...request, ...field }) }).toEqual({ field, ok: true });
    }
    for (const field of [
      { temperature: 1.01 },
      { temperature: -0.1 },
      { language: "german" },
      { response_format: "ass" },
      { stream: "yes" },
    ]) {
      expect({ field, ok: accepts("TranscriptionFromUrl", { ...request, ...field }) }).toEqual({ field, ok: false });
    }
  });

  test("answers segments that OpenAI clients can read: seek is always there", () => {
    expect(schema("TranscriptionSegment").required).toEqual(
      expect.arrayContaining([
        "id",
        "seek",
        "start",
        "end",
        "text",
        "tokens",
        "temperature",
        "avg_logprob",
        "compression_ratio",
        "no_speech_prob",
      ]),
    );
    expect(schema("Transcription").required).not.toContain("segments");
  });
});

describe("a speech request", () => {
  test("takes the text as input or text, the voice as an id, a name or an object", () => {
    for (const body of [
      { input: "Hi" },
      { text: "Hi" },
      { input: "Hi", voice: "alloy" },
      { input: "Hi", voice: { id: "v1" } },
      { input: "Hi", voice_id: "v1" },
    ]) {
      expect({ body, ok: accepts("SpeechRequest", body) }).toEqual({ body, ok: true });
    }
    expect(accepts("SpeechRequest", { input: "Hi", voice: 5 })).toBe(false);
  });

  test("knows the eight formats of the specification and two OpenAI names", () => {
    const formats = ["mp3_44100_128", "mp3_44100_192", "mp3_22050_32", "pcm_16000", "pcm_22050", "pcm_24000", "pcm_44100", "ulaw_8000"];
    expect([...schema("AudioFormat").enum!].sort()).toEqual([...formats, "mp3", "pcm"].sort());
    expect(accepts("SpeechRequest", { input: "Hi", response_format: "opus" })).toBe(false);
  });

  test("leaves 5000 characters after NFC to the handler and holds voice settings to 0 and 1", () => {
    expect(accepts("SpeechRequest", { input: "e\u0301".repeat(5000) })).toBe(true);
    expect(accepts("SpeechRequest", { input: "Hi", voice_settings: { stability: 1, use_speaker_boost: true } })).toBe(true);
    expect(accepts("SpeechRequest", { input: "Hi", voice_settings: { stability: 1.1 } })).toBe(false);
  });
});

describe("music, sound effects and voices", () => {
  test("music leaves the range of its length to the handler, since flat models ignore it, but not its type", () => {
    expect(accepts("MusicRequest", { prompt: "Calm", music_length_ms: 999 })).toBe(true);
    expect(accepts("MusicRequest", { prompt: "Calm", duration_ms: "30s" })).toBe(false);
    expect(schema("MusicRequest").properties!["music_length_ms"]!.default).toBe(30000);
  });

  test("a sound effect follows its prompt from 0 to 1, by default 0.3", () => {
    expect(schema("SoundEffectRequest").properties!["prompt_influence"]).toMatchObject({ minimum: 0, maximum: 1, default: 0.3 });
  });

  test("a family A voice has labels and a sentence, a family B voice has tags and neither labels nor preview", () => {
    const common = { voice_id: "v1", name: "Harbour", category: "premade" };
    expect(
      accepts("Voice", {
        ...common,
        provider: "provider_a",
        labels: { accent: "irish", mood: "calm" },
        preview_url: null,
        description: "Warm.",
      }),
    ).toBe(true);
    expect(accepts("Voice", { ...common, provider: "provider_b", description: ["warm"] })).toBe(true);
    expect(accepts("Voice", { ...common, provider: "provider_b", category: "cloned" })).toBe(true);
    expect(accepts("Voice", { ...common, provider: "provider_b", description: "Warm." })).toBe(false);
    expect(accepts("Voice", { ...common, provider: "provider_c" })).toBe(false);
  });

  test("a designed voice has one of two genders and four ages", () => {
    expect(accepts("VoiceDesignRequest", { description: "Old", gender: "male", age_group: "middle-aged" })).toBe(true);
    expect(accepts("VoiceDesignRequest", { description: "Old", age_group: "ancient" })).toBe(false);
    expect(accepts("VoiceDesignRequest", { description: "Old", gender: "other" })).toBe(false);
  });
});
