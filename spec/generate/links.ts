// Links of OpenAPI, which the emitter can't write: from an answer to the operation that goes on with what it made. Readers of the
// documentation follow them, and so does a fuzzer that tries sequences of calls.
import { type Document, operationsOf } from "./document.ts";

interface Link {
  from: readonly string[];
  name: string;
  to: string;
  /** By parameter of `to`. */
  parameters: Record<string, string>;
  description: string;
}

const charged = [
  "createChatCompletion",
  "createMessage",
  "createResponse",
  "compactResponse",
  "createCompletion",
  "createEmbeddings",
  "createRerank",
  "createDecision",
  "createSystemOneDecision",
  "createTranscription",
  "createTranslation",
  "createSpeech",
  "createMusic",
  "createSoundEffect",
];

const links: readonly Link[] = [
  {
    from: ["createImage", "createImageEdit", "createImageVariation", "createVideo"],
    name: "job",
    to: "getJob",
    parameters: { id: "$response.body#/id" },
    description: "Poll the job.",
  },
  {
    from: ["runGenmedia"],
    name: "job",
    to: "getGenmediaJob",
    parameters: { request_id: "$response.body#/request_id" },
    description: "Poll the job.",
  },
  {
    from: ["createTopup"],
    name: "topup",
    to: "getTopup",
    parameters: { id: "$response.body#/id" },
    description: "Check whether it is paid.",
  },
  {
    from: ["createApiKey"],
    name: "update",
    to: "updateApiKey",
    parameters: { key: "$response.body#/id" },
    description: "Rename, disable or limit the key.",
  },
  {
    from: ["createApiKey"],
    name: "delete",
    to: "deleteApiKey",
    parameters: { key: "$response.body#/id" },
    description: "Delete the key.",
  },
  {
    from: charged,
    name: "receipt",
    to: "getReceipt",
    parameters: { request_id: "$response.header.x-request-id" },
    description: "Get the usage and cost of the call.",
  },
];

/** On every answer of success. Throws where the table names an operation that isn't there. */
export function addLinks(document: Document): void {
  const operations = new Map(operationsOf(document).map(({ operation }) => [operation.operationId, operation]));
  const find = (id: string) => operations.get(id) ?? raise(`links.ts names ${id}, which the contract lacks`);
  for (const { from, name, to, parameters, description } of links) {
    const link = { operationId: find(to).operationId, parameters, description };
    for (const operation of from.map(find))
      for (const [status, response] of Object.entries(operation.responses))
        if (status.startsWith("2")) response.links = { ...response.links, [name]: link };
  }
}

function raise(reason: string): never {
  throw new Error(reason);
}
