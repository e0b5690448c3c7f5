// Lists which protocol serves which verb (docs/behaviour/providers.md#protocols). A dialect that a protocol doesn't speak is translated.
import { anthropicChat, anthropicMessages } from "./anthropic/messages.ts";
import { overAzure } from "./azure/azure.ts";
import { bedrockEmbed, bedrockRerank } from "./bedrock/invoke.ts";
import { bedrockMessages } from "./bedrock/messages.ts";
import { cohereChat } from "./cohere/chat.ts";
import { cohereEmbed, cohereRerank } from "./cohere/texts.ts";
import { elevenlabsMusic, elevenlabsSounds, elevenlabsSpeech } from "./elevenlabs/audio.ts";
import { elevenlabsVoices } from "./elevenlabs/voices.ts";
import { falMusic } from "./fal/music.ts";
import { falImages, falQueue, falVideos } from "./fal/queue.ts";
import { minimaxMusic, minimaxSpeech } from "./minimax/audio.ts";
import { minimaxClone, minimaxDesign, minimaxVoices } from "./minimax/voices.ts";
import { geminiChat } from "./gemini/chat.ts";
import { geminiEmbed } from "./gemini/embed.ts";
import { openaiSpeech, openaiTranscribe } from "./openai/audio.ts";
import { openaiChat } from "./openai/chat.ts";
import { openaiCompletions } from "./openai/completions.ts";
import { openaiMessages } from "./openai/messages.ts";
import { openaiEmbed } from "./openai/embed.ts";
import { openaiImages } from "./openai/images.ts";
import { openaiTranscriptStream } from "./openai/transcript-stream.ts";
import { rerank } from "./rerank/rerank.ts";
import { openVertex, vertexEmbed } from "./vertex/vertex.ts";
import type { Upstream } from "./transport/types.ts";
import type { Protocol } from "./types.ts";
import type {
  CloneVoice,
  DesignVoice,
  FetchMade,
  ListVoices,
  MakeMusic,
  MakeSound,
  MakeSpeech,
  StreamTranscript,
  Transcribe,
} from "./verbs/audio.ts";
import type { Chat, Complete } from "./verbs/chat.ts";
import type { Embed, Rerank } from "./verbs/without-output.ts";
import type { FetchReference, MakeImages, MakeVideo, UpstreamQueue } from "./verbs/media.ts";
import type { Messages } from "./verbs/messages.ts";

/** One function for each verb and protocol. */
export interface Adapters {
  chat: Partial<Record<Protocol, Chat>>;
  /** Text completions, for routes that have them. */
  complete: Partial<Record<Protocol, Complete>>;
  messages: Partial<Record<Protocol, Messages>>;
  embed: Partial<Record<Protocol, Embed>>;
  rerank: Partial<Record<Protocol, Rerank>>;
  images: Partial<Record<Protocol, MakeImages>>;
  videos: Partial<Record<Protocol, MakeVideo>>;
  /** Of the protocols that answer with tickets. */
  queues: Partial<Record<Protocol, UpstreamQueue>>;
  transcribe: Partial<Record<Protocol, Transcribe>>;
  streamTranscript: Partial<Record<Protocol, StreamTranscript>>;
  speech: Partial<Record<Protocol, MakeSpeech>>;
  music: Partial<Record<Protocol, MakeMusic>>;
  sounds: Partial<Record<Protocol, MakeSound>>;
  voices: Partial<Record<Protocol, ListVoices>>;
  cloneVoice: Partial<Record<Protocol, CloneVoice>>;
  designVoice: Partial<Record<Protocol, DesignVoice>>;
}

/** How files at other addresses are downloaded (src/media). */
interface AdapterParts {
  fetchReference: FetchReference;
  fetchMade: FetchMade;
}

export function openAdapters(upstream: Upstream, { fetchReference, fetchMade }: AdapterParts): Adapters {
  const chat = openaiChat(upstream);
  const messages = anthropicMessages(upstream);
  const azure = overAzure(chat);
  const complete = openaiCompletions(upstream);
  const bedrock = bedrockMessages(upstream);
  const embed = openaiEmbed(upstream);
  const images = openaiImages(upstream, fetchReference);
  const transcribe = openaiTranscribe(upstream);
  const streamTranscript = openaiTranscriptStream(upstream);
  const speech = openaiSpeech(upstream);
  const gemini = geminiChat(upstream);
  const cohere = cohereChat(upstream);
  const vertex = openVertex(upstream);
  return {
    chat: {
      openai: chat,
      anthropic: anthropicChat(messages),
      bedrock: anthropicChat(bedrock),
      gemini,
      cohere,
      "azure-openai": azure,
      vertex: vertex.chat,
    },
    complete: { openai: complete, "azure-openai": overAzure(complete) },
    messages: {
      openai: openaiMessages(chat),
      anthropic: messages,
      bedrock,
      gemini: openaiMessages(gemini),
      cohere: openaiMessages(cohere),
      "azure-openai": openaiMessages(azure),
      vertex: vertex.messages,
    },
    embed: {
      openai: embed,
      bedrock: bedrockEmbed(upstream),
      gemini: geminiEmbed(upstream),
      cohere: cohereEmbed(upstream),
      "azure-openai": overAzure(embed),
      vertex: vertexEmbed(upstream),
    },
    rerank: { rerank: rerank(upstream), bedrock: bedrockRerank(upstream), cohere: cohereRerank(upstream) },
    images: { openai: images, "azure-openai": overAzure(images), fal: falImages(upstream) },
    videos: { fal: falVideos(upstream) },
    queues: { fal: falQueue(upstream) },
    transcribe: { openai: transcribe, "azure-openai": overAzure(transcribe) },
    streamTranscript: { openai: streamTranscript, "azure-openai": overAzure(streamTranscript) },
    speech: { openai: speech, "azure-openai": overAzure(speech), elevenlabs: elevenlabsSpeech(upstream), minimax: minimaxSpeech(upstream) },
    music: { elevenlabs: elevenlabsMusic(upstream), minimax: minimaxMusic(upstream, fetchMade), fal: falMusic(upstream, fetchMade) },
    sounds: { elevenlabs: elevenlabsSounds(upstream) },
    voices: { elevenlabs: elevenlabsVoices(upstream), minimax: minimaxVoices(upstream) },
    cloneVoice: { minimax: minimaxClone(upstream) },
    designVoice: { minimax: minimaxDesign(upstream) },
  };
}
