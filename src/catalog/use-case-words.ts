// The old vocabulary of `recommended_for`, which filters still understand, in today's use cases.
// Unknown words are left as they are: no model has them.

/** Old word, or today's, to today's use case. */
export function useCaseOf(word: string): string {
  return todaysWord[word.toLowerCase()] ?? word;
}

const todaysWord: Record<string, string | undefined> = {
  __proto__: null as unknown as undefined,
  code: "write-code",
  coding: "write-code",
  programming: "write-code",
  agent: "build-agents",
  agents: "build-agents",
  agentic: "build-agents",
  "tool-use": "build-agents",
  conversation: "chat",
  general: "chat",
  "general-purpose": "chat",
  writing: "write-content",
  content: "write-content",
  "creative-writing": "write-content",
  translation: "translate",
  multilingual: "translate",
  research: "research-web",
  "web-search": "research-web",
  search: "research-web",
  documents: "analyse-documents",
  "long-context": "analyse-documents",
  summarization: "analyse-documents",
  math: "solve-math",
  reasoning: "solve-math",
  images: "generate-images",
  "image-generation": "generate-images",
  "image-editing": "edit-images",
  video: "generate-video",
  "video-generation": "generate-video",
  transcription: "transcribe-audio",
  "speech-to-text": "transcribe-audio",
  speech: "generate-speech",
  tts: "generate-speech",
  "text-to-speech": "generate-speech",
  retrieval: "search-documents",
  rag: "search-documents",
  embeddings: "search-documents",
  reranking: "search-documents",
};
