// What a caller gets: named types, chosen by the fields of the request. Compiled, never run (types.test.ts).
import Svc, { costOf } from "svc-sdk";
import type {
  AudioGeneration,
  Binary,
  ChatChunk,
  ChatCompletion,
  ChatMessage,
  ChatRequest,
  DiarizedTranscription,
  ImageJob,
  ModelRow,
  Operations,
  QueuedImageJob,
  ResponseInputItem,
  Stream,
  TranscriptDelta,
  TranscriptDone,
  TranscriptSegment,
  Transcription,
  UsageLog,
} from "svc-sdk";
import { exactly } from "./exactly.ts";

const svc = new Svc();
const request: ChatRequest = { model: "best", messages: [{ role: "user", content: "Hello" }] };
declare const maybe: boolean;
declare const recording: Blob;

// stream chooses between an answer and an iterator.
const completion = await svc.chat.completions.create({ model: "best", messages: request.messages });
exactly<ChatCompletion>()(completion);
exactly<string | null>()(completion.choices[0]!.message.content);
exactly<ChatCompletion>()(await svc.chat.completions.create({ model: "best", messages: request.messages, stream: false }));
const stream = await svc.chat.completions.create({ model: "best", messages: request.messages, stream: true });
exactly<Stream<ChatChunk>>()(stream);
for await (const chunk of stream) exactly<string | null | undefined>()(chunk.choices[0]?.delta.content);
exactly<ChatCompletion | Stream<ChatChunk>>()(await svc.chat.completions.create({ ...request, stream: maybe }));
// @ts-expect-error a completion is no stream
for await (const chunk of completion) void chunk; // oxlint-disable-line typescript/await-thenable
// @ts-expect-error a stream is no completion
void stream.choices;
// @ts-expect-error no such field
void completion.answer;
// @ts-expect-error there may be no first choice
void completion.choices[0].message;

// Records of Anthropic's and OpenAI's newer streams are told apart by their type.
for await (const event of await svc.messages.create({ model: "best", max_tokens: 9, messages: [], stream: true })) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta") exactly<string>()(event.delta.text);
  // @ts-expect-error what broke a stream is thrown
  if (event.type === "error") void event;
}
for await (const event of await svc.responses.create({ model: "best", input: "Hello", stream: true }))
  if (event.type === "response.output_text.delta") exactly<string>()(event.delta);

// An answer goes back into the next request as it came.
const history: ChatMessage[] = [...request.messages, completion.choices[0]!.message, { role: "user", content: "And?" }];
void svc.chat.completions.create({ model: "best", messages: history });
const first = await svc.responses.create({ model: "best", input: "Hello" });
const input: ResponseInputItem[] = [...first.output, { role: "user", content: "And?" }];
void svc.responses.create({ model: "best", input });
const message = await svc.messages.create({ model: "best", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] });
void svc.messages.create({ model: "best", max_tokens: 9, messages: [{ role: "assistant", content: message.content }] });

// The format that is asked for is the type that comes.
exactly<Transcription>()(await svc.audio.transcriptions.create({ file: recording }));
exactly<Transcription>()(await svc.audio.transcriptions.create({ file: recording, response_format: "json" }));
exactly<string>()(await svc.audio.transcriptions.create({ file: recording, response_format: "srt" }));
exactly<Stream<TranscriptDelta | TranscriptSegment | TranscriptDone>>()(
  await svc.audio.transcriptions.create({ file: recording, stream: true }),
);
exactly<string>()(await svc.audio.transcriptions.create({ file: recording, stream: false, response_format: "srt" }));
exactly<DiarizedTranscription>()(await svc.audio.transcriptions.create({ file: recording, response_format: "diarized_json" }));
exactly<Binary>()(await svc.audio.speech.create({ input: "Hello", voice_id: "v" }));
exactly<Binary>()(await svc.audio.music.create({ prompt: "Calm piano" }));
exactly<AudioGeneration>()(await svc.audio.music.create({ prompt: "Calm piano", save_to_blob: "1" }));

// Jobs, pages, models.
exactly<ImageJob | QueuedImageJob>()(await svc.images.generate({ model: "demo/image-standard", prompt: "A lighthouse" }));
for await (const row of svc.usage.logs({ status: "failed" })) exactly<UsageLog>()(row);
exactly<ModelRow[]>()((await svc.models.list({ type: ["language"] })).data);
const job = await svc.jobs.get("job_1");
if (job.object === "image.job") exactly<ImageJob>()(job);
exactly<undefined>()(await svc.auth.signOut());

// What came with an answer.
const { data, requestId, cost } = await svc.chat.completions.create(request).withResponse();
exactly<ChatCompletion | Stream<ChatChunk>>()(data);
exactly<string | null>()(requestId);
exactly<number | null>()(cost);
exactly<number | null>()(costOf(completion));
exactly<ChatRequest>()(request satisfies Operations["createChatCompletion"]["body"]);
// @ts-expect-error no such operation
exactly<Operations["createNothing"]>();
