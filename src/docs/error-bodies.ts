// The bodies of errors as each family of endpoints sends them, from the contract's examples.
import { dialects, type DialectRow, type ErrorCode } from "../../generated/errors.ts";
import { type Operation, operations } from "../../generated/operations.ts";
import { type ErrorFacts, messageTemplate } from "../errors/facts.ts";
import { follow, type OpenApi, operationGroups } from "./contract.ts";

interface ErrorBody {
  status: number;
  /** Endpoints that send this body, in the contract's order. */
  operations: Operation[];
  json: unknown;
}

/** One for each envelope that the code is sent in, and for each status with a row of its own. */
export function bodiesOf(document: OpenApi, { code, row, operations: places }: ErrorFacts): ErrorBody[] {
  const found: { key: string; body: ErrorBody }[] = [];
  for (const operation of asReadersMeetThem(document, places)) {
    for (const { status, json } of examplesAt(document, operation, code)) {
      const { envelope }: DialectRow = dialects[operation.dialect];
      const key = row.at?.[status] === undefined ? envelope : `${envelope} ${status}`;
      const known = found.find((one) => one.key === key);
      if (known === undefined) found.push({ key, body: { status, operations: [operation], json } });
      else if (!known.body.operations.includes(operation)) known.body.operations.push(operation);
    }
  }
  return found.map(({ body }) => body);
}

/** Chat before audio: the example that most readers need comes first. */
export function asReadersMeetThem(document: OpenApi, places: readonly Operation[]): Operation[] {
  const order = operationGroups(document).flatMap((group) => group.operations.map(({ id }) => id));
  return [...places].sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}

function examplesAt(document: OpenApi, { path, method }: Operation, code: ErrorCode): { status: number; json: unknown }[] {
  const responses = document.paths[path]?.[method]?.responses ?? {};
  return Object.entries(responses).flatMap(([status, { content }]) => {
    const given = content?.["application/json"]?.schema;
    if (Number(status) < 400 || given === undefined) return [];
    return (follow(document, given).schema.examples ?? [])
      .filter((example) => codeIn(example) === code)
      .map((json) => ({ status: Number(status), json }));
  });
}

/** Where each envelope has its code; rerank's has only a type. */
function codeIn(example: unknown): string | undefined {
  const { error, details } = example as { error?: { code?: string; type?: string } | string; details?: { code?: string } };
  return typeof error === "object" ? (error.code ?? error.type) : details?.code;
}

/** A job that failed with this code, as GET /v1/jobs/{id} shows it; null if the contract has no example of a failed job. */
export function failedJob(document: OpenApi, { code, row }: ErrorFacts, bodies: readonly ErrorBody[]): unknown {
  const { path, method } = operations.getJob;
  const answer = document.paths[path]?.[method]?.responses["200"]?.content?.["application/json"];
  const failed = Object.values(answer?.examples ?? {}).find(({ value }) => (value as { status?: string }).status === "failed");
  if (failed === undefined) return null;
  return { ...(failed.value as object), error: { code, message: messageIn(bodies) ?? messageTemplate(row) } };
}

/** The sentence with an example's values in place of its placeholders. */
function messageIn(bodies: readonly ErrorBody[]): string | undefined {
  const { error } = (bodies[0]?.json ?? {}) as { error?: { message: string } | string };
  return typeof error === "object" ? error.message : error;
}

/** For codes that no operation sends as the body of an answer: unknown paths, interrupted streams. */
export function plainBody(publicUrl: string | null, { code, row }: ErrorFacts): unknown {
  return {
    error: {
      message: messageTemplate(row),
      type: row.type,
      code,
      param: null,
      retryable: row.retryable,
      request_id: "req_0195c1f2a7e07c31",
      doc_url: `${publicUrl ?? "https://gateway.example"}/docs/errors#${code}`,
    },
  };
}
