// Every example of the contract keeps the contract: readers copy them, the mock server answers with them.
import { describe, expect, test } from "vitest";
import { dialects, type DialectRow } from "../../generated/errors.ts";
import { type OperationId, operations } from "../../generated/operations.ts";
import { bodies, forms, parameters as parameterValidators } from "../../generated/validators.js";
import { faultsOf } from "../support/contract.ts";
import { exampleRequests } from "./example-requests.ts";
import { type Answer, type Content, operation, resolved } from "./read-contract.ts";

const ids = Object.keys(operations) as OperationId[];

/** Every example of a content, by name. */
const valuesOf = ({ examples }: Content) =>
  Object.entries(examples ?? {}).map(([name, example]) => [name, resolved(example).value] as const);
/** Bytes, which no example shows. */
const isBinary = (type: string) => type.startsWith("audio/") || ["application/pdf", "application/octet-stream"].includes(type);
const headersOf = ({ headers = {} }: Answer) =>
  Object.fromEntries(Object.entries(headers).map(([name, { example }]) => [name.toLowerCase(), String(example)]));

describe.each(ids)("%s", (id) => {
  const { requestBody, responses, parameters } = operation(id);

  test("every body shown passes the validator that requests have to pass", () => {
    for (const [type, content] of Object.entries(requestBody?.content ?? {})) {
      const validate = type === "application/json" ? bodies[id] : forms[id];
      const shown = valuesOf(content);
      expect(shown.length, type).toBeGreaterThan(0);
      for (const [name, value] of shown)
        expect({ type, name, fits: validate?.(value), errors: validate?.errors }).toEqual({ type, name, fits: true, errors: null });
    }
  });

  test("what the path needs is shown, and all parameters shown are valid together", () => {
    const bare = parameters.filter(({ required, examples }) => required && !examples).map(({ name }) => name);
    expect(bare).toEqual([]);
    const given: Record<string, Record<string, unknown>> = { path: {}, query: {}, header: {} };
    for (const { name, in: place, examples } of parameters) {
      const first = Object.values(examples ?? {})[0];
      if (first) given[place]![name] = first.value;
    }
    const validate = parameterValidators[id];
    expect({ fits: validate?.(given) ?? true, errors: validate?.errors ?? null }).toEqual({ fits: true, errors: null });
  });

  test("every answer shown keeps the contract, headers and records of streams included", () => {
    for (const [status, answer] of Object.entries(responses))
      for (const [type, content] of Object.entries(answer.content ?? {})) {
        if (isBinary(type)) continue;
        const shown = valuesOf(content);
        expect(shown.length, `${status} ${type}`).toBeGreaterThan(0);
        for (const [name, value] of shown) {
          const bodyText = type.startsWith("text/") || type.includes("subrip") ? (value as string) : JSON.stringify(value);
          const faults = faultsOf(id, { status: Number(status), headers: { ...headersOf(answer), "content-type": type }, bodyText });
          expect({ status, type, name, faults }).toEqual({ status, type, name, faults: [] });
        }
      }
  });

  test("an error's examples go by its codes, and there is one for each", () => {
    const { codes } = dialects[operations[id].dialect] as DialectRow;
    const shown = new Set(operations[id].errors.map((code) => (codes as Record<string, string>)[code] ?? code));
    for (const [status, { content }] of Object.entries(responses))
      if (Number(status) >= 400)
        for (const [name, value] of valuesOf(content!["application/json"]!)) {
          expect(shown).toContain(name);
          expect({ status, text: JSON.stringify(value) }).toEqual({ status, text: expect.stringContaining(`"${name}"`) as unknown });
        }
  });

  test("every header is shown with a value", () => {
    expect(Object.values(responses).flatMap((answer) => Object.values(headersOf(answer)))).not.toContain("undefined");
  });

  test("examples can be asked for by name: no spaces, no marks", () => {
    const contents = Object.values(responses).flatMap(({ content }) => Object.values(content ?? {}));
    for (const name of contents.flatMap((content) => Object.keys(content.examples ?? {}))) expect(name).toMatch(/^\w+$/);
  });
});

test("every operation has an example request for each kind of body", () => {
  for (const id of ids)
    expect(exampleRequests(id).map(({ contentType }) => contentType)).toEqual(
      operations[id].bodies.length === 0 ? [undefined] : (expect.arrayContaining([...operations[id].bodies]) as unknown),
    );
});

test("a stream's example is whole: it ends as its clients expect, and says what it cost", () => {
  const text = (id: OperationId) => operation(id).responses["200"]!.content!["text/event-stream"]!.examples!["stream"]!.value as string;
  expect(text("createChatCompletion")).toMatch(/"usage":\{[^\n]*"cost":[^\n]*\n\ndata: \[DONE\]\n\n$/);
  expect(text("createCompletion")).toMatch(/data: \[DONE\]\n\n$/);
  expect(text("createMessage")).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/);
  expect(text("createTranscription")).toMatch(/data: \{"type":"transcript\.text\.done"[^\n]*"billing":[^\n]*\n\n$/);
  expect(text("createResponse")).toMatch(/event: response\.completed\ndata: \{[^\n]*"usage":[^\n]*\n\n/);
});
