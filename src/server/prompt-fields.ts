// Which top-level fields of a body only go on to a model and are stored nowhere. They may hold a NUL: agents send what a command
// printed, and a history that can't be sent once is refused with every later turn. Prompts of media jobs are stored: src/jobs/prompt.ts
// refuses theirs, under a code of its own.
import type { OperationId } from "../../generated/operations.ts";

export const promptFields: Partial<Record<OperationId, readonly string[]>> = {
  createChatCompletion: ["messages"],
  createMessage: ["messages", "system"],
  countMessageTokens: ["messages", "system"],
  createResponse: ["input", "instructions"],
  createCompletion: ["prompt"],
  createEmbeddings: ["input"],
  createRerank: ["query", "documents"],
  createImage: ["prompt"],
  createVideo: ["prompt"],
  createDecision: ["state"],
  createSystemOneDecision: ["state"],
};
