// Which wire protocol serves which verb (OPERATOR.md, the table of protocols). A dialect that a protocol does not speak is translated.
import { anthropicChat } from "./anthropic/chat.ts";
import { anthropicMessages } from "./anthropic/messages.ts";
import { elevenlabsMusic, elevenlabsSounds, elevenlabsSpeech } from "./elevenlabs/audio.ts";
import { elevenlabsVoices } from "./elevenlabs/voices.ts";
import { falMusic } from "./fal/music.ts";
import { falQueue } from "./fal/queue.ts";
import { falClips, falPictures } from "./fal/submit.ts";
import type { FetchMade } from "./audio.ts";
import type { Upstream } from "./transport/http.ts";
import type { FetchReference } from "./media.ts";
import { minimaxMusic } from "./minimax/music.ts";
import { minimaxSpeech } from "./minimax/speech.ts";
import { minimaxClone, minimaxDesign, minimaxVoices } from "./minimax/voices.ts";
import { openaiChat } from "./openai/chat.ts";
import { openaiEmbed } from "./openai/embed.ts";
import { openaiImages } from "./openai/images.ts";
import { openaiMessages } from "./openai/messages.ts";
import { openaiSpeech } from "./openai/speech.ts";
import { openaiTranscribe } from "./openai/transcribe.ts";
import { rerank } from "./rerank/rerank.ts";
import type { Adapters } from "./types.ts";

/** How files of others are loaded (src/media). */
export interface AdapterParts {
  fetchReference: FetchReference;
  fetchMade: FetchMade;
}

export function openAdapters(upstream: Upstream, { fetchReference, fetchMade }: AdapterParts): Adapters {
  const chat = openaiChat(upstream);
  const messages = anthropicMessages(upstream);
  return {
    chat: { openai: chat, anthropic: anthropicChat(messages) },
    messages: { openai: openaiMessages(chat), anthropic: messages },
    embed: { openai: openaiEmbed(upstream) },
    rerank: { rerank: rerank(upstream) },
    pictures: { openai: openaiImages(upstream, fetchReference), fal: falPictures(upstream) },
    clips: { fal: falClips(upstream) },
    queues: { fal: falQueue(upstream) },
    transcribe: { openai: openaiTranscribe(upstream) },
    say: { openai: openaiSpeech(upstream), elevenlabs: elevenlabsSpeech(upstream), minimax: minimaxSpeech(upstream) },
    music: { elevenlabs: elevenlabsMusic(upstream), minimax: minimaxMusic(upstream, fetchMade), fal: falMusic(upstream, fetchMade) },
    sounds: { elevenlabs: elevenlabsSounds(upstream) },
    voices: { elevenlabs: elevenlabsVoices(upstream), minimax: minimaxVoices(upstream) },
    cloneVoice: { minimax: minimaxClone(upstream) },
    designVoice: { minimax: minimaxDesign(upstream) },
  };
}
