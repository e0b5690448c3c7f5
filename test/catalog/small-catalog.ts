// A catalog with one model of each pricing mode and state, for the tests of this folder. Loaded as an operator's file is.
export const smallCatalog = `
providers:
  - { id: north, protocol: openai, base_url: http://127.0.0.1:9/v1 }
  - { id: east, protocol: fal, base_url: http://127.0.0.1:9 }
models:
  - id: demo/chat-large
    type: language
    name: Chat Large
    owned_by: demo
    best_for: Agents and long conversations.
    context_window: 128000
    max_output_tokens: 8192
    recommended: true
    supports_tools: true
    supports_structured_outputs: true
    tags: [tool-use]
    use_cases: [chat, build-agents]
    input_modalities: [text]
    output_modalities: [text]
    supported_parameters: [temperature, tools]
    latency_tier: low
    cost_tier: standard
    quality_tier: high
    tier: gold
    release_stage: stable
    pricing: { mode: per-token, input: 0.5, output: 1.5, cached: 0.05 }
    list_price: { mode: per-token, input: 1, output: 3, cached: 0.1 }
    promotion: { label: launch }
    routes: [{ provider: north, model: large }]
  - id: acme/see-small
    type: language
    name: See Small
    owned_by: acme
    hot: true
    context_window: 32000
    max_output_tokens: 4096
    supports_vision: true
    supports_reasoning: true
    tags: [vision, reasoning]
    use_cases: [chat, write-code, solve-math]
    input_modalities: [text, image]
    output_modalities: [text]
    supported_parameters: [temperature]
    latency_tier: medium
    cost_tier: budget
    quality_tier: medium
    tier: silver
    release_stage: preview
    pricing: { mode: per-token, input: 0.1, output: 0.4 }
    routes: [{ provider: north, model: small }]
  - id: acme/embed
    type: embedding
    owned_by: acme
    use_cases: [search-documents]
    pricing: { mode: per-token, input: 0.02, output: 0 }
    routes: [{ provider: north, model: embed }]
  - id: demo/image
    type: image
    recommended: true
    use_cases: [generate-images]
    pricing: { mode: per-image, usd_per_image: 0.04 }
    routes: [{ provider: east, model: image }]
  - id: demo/image-quality
    type: image
    pricing: { mode: per-quality, tiers: { low: 0.009, medium: 0.019, high: 0.285 }, default_quality: medium }
    routes: [{ provider: east, model: image-quality }]
  - id: demo/image-mp
    type: image
    pricing: { mode: per-megapixel, base_usd: 0.03, extra_per_mp_usd: 0.015, note: each further one }
    routes: [{ provider: east, model: image-mp }]
  - id: demo/video
    type: video
    durations: [5, 10]
    default_duration_s: 5
    pricing: { mode: per-second, usd_per_second: 0.1 }
    routes: [{ provider: east, model: video }]
  - id: demo/speech
    type: speech
    voice_family: provider_b
    default_voice: calm
    pricing: { mode: per-1k-chars, usd_per_1k_chars: 0.07 }
    routes: [{ provider: north, model: speech }]
  - id: demo/music
    type: speech
    capability: music
    pricing: { mode: per-second, usd_per_second: 0.135 }
    routes: [{ provider: north, model: music }]
  - id: demo/song
    type: speech
    capability: music
    pricing: { mode: per-song, usd_per_song: 0.108 }
    routes: [{ provider: north, model: song }]
  - id: demo/stt
    type: transcription
    pricing: { mode: per-minute, usd_per_minute: 0.0009, min_billable_minutes: 1 }
    routes: [{ provider: north, model: stt }]
  - id: demo/old-music
    type: speech
    capability: music
    state: { retired: true, replacement: demo/music }
    pricing: { mode: per-song, usd_per_song: 0.03 }
  - id: demo/sfx
    type: speech
    capability: sfx
    state: { paused: true }
    pricing: { mode: per-call, usd_per_call: 0.027 }
aliases: { best: demo/chat-large, transcribe: demo/stt }
`;
