// What the contract promises of every media and audio operation: its place, its success statuses, and per refused status the closed set
// of codes in the words of the endpoint's dialect (docs/behaviour/errors.md#codes). On top of that matrix stands what holds for everything
// that takes a key: a denied account, the request limits, an unknown exception, an overloaded gateway.

export interface Promised {
  at: string;
  successes: number[];
  refusals: Record<number, string[]>;
}

const key = ["missing_api_key", "invalid_api_key", "key_expired"];
const limited = ["rate_limit_exceeded"];
const audioLimited = ["audio_concurrent_limit", "rate_limit_exceeded"];
const money = ["insufficient_credits", "key_limit_reached", "model_requires_paid"];
/** A denied account, and what a key is bound to. */
const denied = ["permission_denied", "operation_not_allowed", "network_not_allowed"];
const modelDenied = ["model_not_allowed", ...denied];
const unknown = ["internal_error"];
const idempotent = ["idempotency_in_progress", "idempotency_replayed", "idempotency_key_reused"];
const overloaded = ["overloaded"];

/** Beside 400, of images whose caller may wait for their job. */
const ofWaitedJob = {
  401: ["auth_error", "key_expired"],
  402: ["key_limit_reached", "insufficient_balance", "model_requires_paid"],
  403: modelDenied,
  409: ["job_cancelled"],
  413: ["invalid_request"],
  // What it ends with.
  422: [
    ...["content_policy", "content_policy_likeness", "content_policy_nsfw", "content_policy_unsafe", "moderation_blocked"],
    ...["input_too_large", "input_invalid", "invalid_input"],
  ],
  429: ["rate_limited", "provider_rate_limited"],
  500: ["db_error", "provider_error", ...unknown],
  502: ["provider_unavailable"],
  503: overloaded,
  504: ["provider_timeout", "timeout"],
};

export const promised: Record<string, Promised> = {
  createImage: {
    at: "post /v1/images/generations",
    successes: [200, 202],
    refusals: {
      400: ["invalid_model", "invalid_prompt", "image_url_required", "too_many_references", "invalid_parameter", "prompt_too_long"],
      ...ofWaitedJob,
    },
  },
  createVideo: {
    at: "post /v1/videos/generations",
    successes: [200, 202],
    refusals: {
      400: ["invalid_model", "invalid_prompt", "image_url_required", "invalid_duration", "invalid_parameter"],
      401: ["auth_error", "key_expired"],
      402: ["key_limit_reached", "insufficient_balance", "model_requires_paid"],
      403: modelDenied,
      404: ["model_not_found"],
      413: ["invalid_request"],
      429: ["rate_limited"],
      500: ["db_error", "provider_error", ...unknown],
      503: overloaded,
    },
  },
  createImageEdit: {
    at: "post /v1/images/edits",
    successes: [200, 202],
    refusals: {
      400: ["invalid_model", "invalid_prompt", "too_many_references", "invalid_parameter", "prompt_too_long"],
      ...ofWaitedJob,
    },
  },
  createImageVariation: {
    at: "post /v1/images/variations",
    successes: [200, 202],
    refusals: {
      400: ["invalid_model", "invalid_parameter", "prompt_too_long"],
      ...ofWaitedJob,
    },
  },
  getJob: {
    at: "get /v1/jobs/{id}",
    successes: [200],
    refusals: { 400: ["invalid_parameter"], 401: key, 403: denied, 404: ["job_not_found"], 429: limited, 500: unknown, 503: overloaded },
  },
  listJobs: {
    at: "get /v1/jobs",
    successes: [200],
    refusals: { 400: ["invalid_parameter"], 401: key, 403: denied, 429: limited, 500: unknown, 503: overloaded },
  },
  runGenmedia: {
    at: "post /v1/genmedia/run",
    successes: [200, 202],
    refusals: {
      400: [
        ["invalid_json", "missing_parameter", "invalid_parameter", "wrong_endpoint", "invalid_prompt", "image_url_required"],
        ["too_many_references", "prompt_too_long", "invalid_duration"],
      ].flat(),
      401: key,
      402: money,
      403: modelDenied,
      404: ["model_not_found"],
      409: ["job_cancelled"],
      413: ["request_too_large"],
      422: [
        ["content_policy", "content_policy_likeness", "content_policy_nsfw", "content_policy_unsafe", "moderation_blocked"],
        ["input_too_large", "input_invalid", "invalid_input"],
      ].flat(),
      429: ["rate_limited", ...limited],
      500: ["db_error", ...unknown],
      502: ["provider_error", "provider_unavailable", "provider_rate_limited"],
      503: overloaded,
      504: ["provider_timeout", "timeout"],
    },
  },
  getGenmediaJob: {
    at: "get /v1/genmedia/jobs/{request_id}",
    successes: [200],
    refusals: { 400: ["invalid_parameter"], 401: key, 403: denied, 404: ["job_not_found"], 429: limited, 500: unknown, 503: overloaded },
  },
  createTranscription: {
    at: "post /v1/audio/transcriptions",
    successes: [200],
    refusals: {
      400: ["missing_parameter", "invalid_parameter", "segments_unsupported", "request_rejected", "invalid_json"],
      401: key,
      402: money,
      403: modelDenied,
      404: ["model_not_found"],
      409: idempotent,
      413: ["request_too_large", "request_rejected"],
      415: ["unsupported_audio_type", "request_rejected"],
      422: ["no_speech_detected", "request_rejected"],
      429: audioLimited,
      500: unknown,
      502: ["upstream_invalid_response"],
      503: ["provider_unavailable", "model_unavailable", ...overloaded],
    },
  },
  createTranslation: {
    at: "post /v1/audio/translations",
    successes: [200],
    refusals: {
      400: ["missing_parameter", "invalid_parameter", "segments_unsupported", "request_rejected"],
      401: key,
      402: money,
      403: modelDenied,
      404: ["model_not_found"],
      409: idempotent,
      413: ["request_too_large", "request_rejected"],
      415: ["unsupported_audio_type", "request_rejected"],
      422: ["no_speech_detected", "request_rejected"],
      429: audioLimited,
      500: unknown,
      502: ["upstream_invalid_response"],
      503: ["provider_unavailable", "model_unavailable", ...overloaded],
    },
  },
  understandAudio: {
    at: "post /v1/audio/understand",
    successes: [200],
    refusals: { 401: key, 403: denied, 404: ["model_not_found"], 429: limited, 500: unknown, 503: overloaded },
  },
  createSpeech: {
    at: "post /v1/audio/speech",
    successes: [200],
    refusals: {
      400: ["not_a_tts_model", "input_too_long", "invalid_request", "content_refused"],
      401: key,
      402: money,
      403: ["voice_not_owned", ...modelDenied],
      404: ["model_not_found"],
      409: idempotent,
      413: ["request_too_large"],
      429: audioLimited,
      500: unknown,
      502: ["tts_failed"],
      503: ["provider_unavailable", "model_unavailable", ...overloaded],
    },
  },
  createMusic: {
    at: "post /v1/audio/music",
    successes: [200],
    refusals: {
      400: ["not_a_music_model", "prompt_too_long", "invalid_duration", "invalid_request", "content_refused"],
      401: ["auth_error", "key_expired"],
      402: ["key_limit_reached", "billing_error", "model_requires_paid"],
      403: modelDenied,
      404: ["model_not_found"],
      409: idempotent,
      413: ["request_too_large"],
      429: audioLimited,
      500: unknown,
      502: ["provider_error"],
      503: overloaded,
    },
  },
  createSoundEffect: {
    at: "post /v1/audio/sfx",
    successes: [200],
    refusals: {
      400: ["not_an_sfx_model", "prompt_too_long", "invalid_duration", "invalid_request", "content_refused"],
      401: key,
      402: money,
      403: modelDenied,
      404: ["model_not_found"],
      409: idempotent,
      413: ["request_too_large"],
      429: audioLimited,
      500: unknown,
      502: ["provider_error"],
      503: overloaded,
    },
  },
  listVoices: {
    at: "get /v1/audio/voices",
    successes: [200],
    refusals: {
      400: ["invalid_parameter"],
      401: key,
      403: denied,
      429: limited,
      500: unknown,
      502: ["provider_error"],
      503: overloaded,
    },
  },
  cloneVoice: {
    at: "post /v1/audio/voice-clone",
    successes: [200],
    refusals: {
      400: ["not_a_voice_clone_model", "invalid_request"],
      401: key,
      402: money,
      403: modelDenied,
      404: ["model_not_found"],
      409: idempotent,
      413: ["request_too_large"],
      415: ["unsupported_audio_type"],
      429: limited,
      500: ["ownership_write_failed", ...unknown],
      502: ["provider_error"],
      503: overloaded,
    },
  },
  designVoice: {
    at: "post /v1/audio/voice-design",
    successes: [200],
    refusals: {
      400: ["not_a_voice_design_model", "invalid_request", "description_too_long"],
      401: key,
      402: money,
      403: modelDenied,
      404: ["model_not_found"],
      409: idempotent,
      413: ["request_too_large"],
      429: limited,
      500: ["ownership_write_failed", ...unknown],
      502: ["provider_error"],
      503: overloaded,
    },
  },
};
