// What the compiler lets a caller send. Compiled, never run: each line under @ts-expect-error must be an error (types.test.ts).
import Svc from "svc-sdk";

const svc = new Svc({ baseURL: "https://gateway.example.com", apiKey: "sk" });
const messages = [{ role: "user" as const, content: "Hello" }];

// Documented fields, and undefined where a field may be left out, exactOptionalPropertyTypes or not.
void svc.chat.completions.create({ model: "best", messages, temperature: 0.2, max_tokens: undefined, reasoning_effort: "low" });
void svc.chat.completions.create({ model: "best", messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }] });

// A chat request is forwarded, yet a slip is told: fields that nobody listed are given apart.
void svc.chat.completions.create({ model: "best", messages }, { extraBody: { seed: 7, logit_bias: { "50256": -100 } } });
// @ts-expect-error no such field
void svc.chat.completions.create({ model: "best", messages, temprature: 0.2 });
// @ts-expect-error no such field
void svc.messages.create({ model: "best", max_tokens: 9, messages, temprature: 0.2 });
// @ts-expect-error a text is no number
void svc.chat.completions.create({ model: "best", messages, temperature: "hot" });
// @ts-expect-error no such word
void svc.chat.completions.create({ model: "best", messages, reasoning_effort: "extreme" });
// @ts-expect-error no such role
void svc.chat.completions.create({ model: "best", messages: [{ role: "robot", content: "Hello" }] });
// @ts-expect-error a message has no such field
void svc.chat.completions.create({ model: "best", messages: [{ role: "user", contents: "Hello" }] });
// @ts-expect-error messages are missing
void svc.chat.completions.create({ model: "best" });
// @ts-expect-error the model is missing
void svc.chat.completions.create({ messages });

// Messages: blocks are told apart by their type.
void svc.messages.create({ model: "best", max_tokens: 9, messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] });
// @ts-expect-error a text block has no source
void svc.messages.create({ model: "best", max_tokens: 9, messages: [{ role: "user", content: [{ type: "text", text: "", source: "" }] }] });
// @ts-expect-error no such kind of block
void svc.messages.create({ model: "best", max_tokens: 9, messages: [{ role: "user", content: [{ type: "hologram" }] }] });

// Closed requests refuse what is not documented.
void svc.images.generate({ model: "demo/image-standard", prompt: "A lighthouse", quality: "low", n: 2 });
// @ts-expect-error no such field
void svc.images.generate({ model: "demo/image-standard", prompt: "A lighthouse", style: "vivid" });
// @ts-expect-error a number is no text
void svc.images.generate({ model: "demo/image-standard", prompt: "A lighthouse", n: "2" });
// @ts-expect-error the prompt is missing
void svc.images.generate({ model: "demo/image-standard" });
// @ts-expect-error no such field
void svc.responses.create({ model: "best", input: "Hello", max_tokens: 5 });
// @ts-expect-error no such field
void svc.decisions.create({ state: "A cat.", questions: {}, question: {} });
// @ts-expect-error a video is wide or tall
void svc.videos.generate({ model: "demo/video", prompt: "Waves", aspect_ratio: "1:1" });
// @ts-expect-error no such field
void svc.keys.create({ name: "CI", scope: "all" });

// A run's input stands beside the model or apart.
void svc.genmedia.run({ model: "demo/video", prompt: "Waves" });
void svc.genmedia.run({ model: "demo/video", input: { prompt: "Waves" } });
// @ts-expect-error no such input
void svc.genmedia.run({ model: "demo/video", promt: "Waves" });

// A recording comes as a file or as an address, not as both.
void svc.audio.transcriptions.create({ file: new Blob([]), response_format: "json", timestamp_granularities: ["word"] });
void svc.audio.transcriptions.create({ file: new Uint8Array(1) });
void svc.audio.transcriptions.create({ audio_url: "https://assets.example.com/a.mp3" });
// @ts-expect-error one or the other
void svc.audio.transcriptions.create({ file: new Blob([]), audio_url: "https://assets.example.com/a.mp3" });
// @ts-expect-error a path is no file
void svc.audio.transcriptions.create({ file: "meeting.mp3" });
// @ts-expect-error neither of both
void svc.audio.transcriptions.create({ language: "en" });

// Queries and paths.
void svc.jobs.list({ status: ["succeeded"], kind: "image", limit: 5 });
void svc.jobs.list();
void svc.jobs.get("job_1", { wait: 10 });
void svc.models.get("north/atlas-small");
// @ts-expect-error no such filter
void svc.jobs.list({ state: "succeeded" });
// @ts-expect-error no such status
void svc.jobs.list({ status: ["done"] });
// @ts-expect-error the id is missing
void svc.jobs.get();
// @ts-expect-error an id is a text
void svc.models.get(7);

// Options of a call, and names that are none.
void svc.chat.completions.create({ model: "best", messages }, { signal: AbortSignal.timeout(1000), timeout: 5000, maxRetries: 0 });
// @ts-expect-error no such option
void svc.chat.completions.create({ model: "best", messages }, { retries: 0 });
// @ts-expect-error no such method
void svc.chat.completions.creat({ model: "best", messages });
// @ts-expect-error it is retired
void svc.audio.understand({});
// @ts-expect-error no such option of the client
new Svc({ baseUrl: "https://gateway.example.com" });
