// POST /v1/quote: what a paid request would reserve and cost. The operation's own handler runs until it would count and hold; from there on
// src/calls/quote.ts answers. The edge has checked the quoted body or form against its operation (src/server/parse-json.ts, run-operation.ts).
import type { components } from "../generated/api.d.ts";
import type { OperationId } from "../generated/operations.ts";
import { assertOperationAllowed } from "../src/accounts/key-policy.ts";
import { type PlannedCall, quoteCall } from "../src/calls/quote.ts";
import type { Context } from "../src/context.ts";
import { ApiError } from "../src/errors/fail.ts";
import type { Handler, Request } from "../src/operation.ts";
import type { Ask } from "../src/calls/ask.ts";
import { cloneVoice } from "./clone-voice.ts";
import { compactResponse } from "./compact-response.ts";
import { createChatCompletion } from "./create-chat-completion.ts";
import { createCompletion } from "./create-completion.ts";
import { createDecision } from "./create-decision.ts";
import { createEmbeddings } from "./create-embeddings.ts";
import { createImageEdit } from "./create-image-edit.ts";
import { createImageVariation } from "./create-image-variation.ts";
import { createImage } from "./create-image.ts";
import { createMessage } from "./create-message.ts";
import { createMusic } from "./create-music.ts";
import { createRerank } from "./create-rerank.ts";
import { createResponse } from "./create-response.ts";
import { createSoundEffect } from "./create-sound-effect.ts";
import { createSpeech } from "./create-speech.ts";
import { createSystemOneDecision } from "./create-system-one-decision.ts";
import { createTranscription } from "./create-transcription.ts";
import { createTranslation } from "./create-translation.ts";
import { createVideo } from "./create-video.ts";
import { designVoice } from "./design-voice.ts";
import { runGenmedia } from "./run-genmedia.ts";

type QuotedOperation = components["schemas"]["Quote"]["operation"];

const quoted: { [Id in QuotedOperation]: Handler<Id> } = {
  createChatCompletion,
  createResponse,
  compactResponse,
  createMessage,
  createCompletion,
  createEmbeddings,
  createRerank,
  createDecision,
  createSystemOneDecision,
  createImage,
  createImageEdit,
  createImageVariation,
  createVideo,
  runGenmedia,
  createSpeech,
  createTranscription,
  createTranslation,
  createMusic,
  createSoundEffect,
  designVoice,
  cloneVoice,
};

type Create = Handler<"createQuote">;

const create: Create = async (context, request, ask) => {
  const { operation, ...sent } = askedOf(request);
  if (ask.caller.policy !== null) assertOperationAllowed(ask.caller.policy, operation);
  const inner = { ...request, path: {}, query: {}, headers: {}, rawBody: Buffer.alloc(0), ...sent } as unknown as Request;
  const planned = await planOf(context, quoted[operation] as Handler, inner, { ...ask, operationId: operation });
  return { status: 200, body: { ...(await quoteCall(context, ask.caller, planned)), operation } };
};

export const createQuote: Create = Object.assign(create, {
  quoted: (operation: OperationId) => quoted[operation as QuotedOperation] as Handler,
});

function askedOf({ body: asked, form }: Parameters<Create>[1]) {
  if (form === null) return { operation: asked.operation, body: asked.body, form, text: JSON.stringify(asked.body) };
  const { operation, ...fields } = form.fields;
  return { operation, body: undefined, form: { ...form, fields }, text: "" };
}

/** Ends the handler where it would begin to count. */
class Planned extends Error {
  readonly call: PlannedCall;
  constructor(call: PlannedCall) {
    super("a quote ends here");
    this.call = call;
  }
}

async function planOf(context: Context, handler: Handler, request: Request, ask: Ask): Promise<PlannedCall> {
  const quote = (call: PlannedCall): never => {
    throw new Planned(call);
  };
  try {
    handler.beforeBody?.(context, request.address);
    await handler(context, request, { ...ask, quote, addHeaders: () => undefined });
  } catch (error) {
    if (error instanceof Planned) return error.call;
    throw error instanceof ApiError && request.form === null ? insideBody(error) : error;
  }
  throw new Error(`${ask.operationId} was carried out, though it was only to be quoted`);
}

/** Fields are named as they were sent. */
function insideBody({ code, details }: ApiError): ApiError {
  const { param, text } = details;
  if (param == null) return new ApiError(code, details);
  const named = text?.["param"] === param ? { text: { ...text, param: `body.${param}` } } : {};
  return new ApiError(code, { ...details, ...named, param: `body.${param}` });
}
