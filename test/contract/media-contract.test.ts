// Promises that the contract makes on media and audio: statuses, closed sets of codes, headers, media types, fields, examples.
// Read from the generated document; what the handlers do is for the tests of the endpoints.
import { describe, expect, test } from "vitest";
import { codesOf, operation, reachable, resolved, type Schema, validatorAt } from "./read-contract.ts";
import { promised } from "./media-promises.ts";

const json = "application/json";
const form = "multipart/form-data";
const audio = ["audio/mpeg", "audio/pcm", "audio/basic"];
const ids = Object.keys(promised);

describe("every media and audio operation", () => {
  test.each(ids)("%s stands at its path and answers exactly the promised statuses", (id) => {
    const { method, path, responses } = operation(id);
    expect(`${method} ${path}`).toBe(promised[id]!.at);
    const refusals = Object.keys(promised[id]!.refusals).map(Number);
    expect(declaredStatuses(responses)).toEqual([...promised[id]!.successes, ...refusals].sort());
  });

  test.each(ids)("%s refuses with exactly the promised codes, status by status", (id) => {
    const declared = Object.fromEntries(Object.keys(promised[id]!.refusals).map((status) => [status, codesOf(id, Number(status))]));
    const wanted = Object.fromEntries(Object.entries(promised[id]!.refusals).map(([status, codes]) => [status, [...codes].sort()]));
    expect(declared).toEqual(wanted);
  });

  test.each(ids)("%s needs an API key and nothing else", (id) => {
    expect(operation(id).security ?? [{ ApiKey: [] }]).toEqual([{ ApiKey: [] }]);
  });

  test.each(ids)(
    "%s has a summary, a description and a description of every parameter, answer, header and field that it takes or answers",
    (id) => {
      const { summary, description, parameters, requestBody, responses } = operation(id);
      const silent: string[] = [];
      if (!summary) silent.push("summary");
      if (!description) silent.push("description");
      for (const parameter of parameters) if (!parameter.description) silent.push(`parameter ${parameter.name}`);
      for (const [type, { schema: body }] of Object.entries(requestBody?.content ?? {})) silent.push(...silentFields(body, type));
      for (const [status, answer] of Object.entries(responses)) {
        if (!answer.description) silent.push(status);
        for (const [name, header] of Object.entries(answer.headers ?? {})) if (!header.description) silent.push(`${status} header ${name}`);
        // The envelopes of errors are one and the same everywhere; here only what the operation itself answers.
        if (Number(status) >= 400) continue;
        for (const [type, { schema: body }] of Object.entries(answer.content ?? {}))
          silent.push(...silentFields(body, `${status} ${type}`));
      }
      expect(silent).toEqual([]);
    },
  );

  test.each(ids)("%s carries x-request-id on every status, and x-should-retry on every refusal that may be told to wait", (id) => {
    const { responses } = operation(id);
    for (const answer of Object.values(responses)) expect(answer.headers?.["x-request-id"]?.required).toBe(true);
    for (const status of Object.keys(promised[id]!.refusals)) expect(Object.keys(responses[status]!.headers!)).toContain("x-should-retry");
    expect(Object.keys(responses["429"]!.headers!)).toContain("retry-after");
  });

  test.each(ids)("%s: every example fits its schema", (id) => {
    const { method, path, requestBody, responses } = operation(id);
    const contents = [
      ...Object.entries(requestBody?.content ?? {}).map(([type, content]) => ({ at: ["requestBody", "content", type], content })),
      ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, one]) => ({ at: ["responses", status, "content", type], content: one })),
      ),
    ];
    for (const { at, content } of contents) {
      const validate = validatorAt("paths", path, method, ...at, "schema");
      for (const [name, example] of Object.entries(content.examples ?? {})) {
        const { value } = resolved(example);
        expect({ at, name, fits: validate(value), errors: validate.errors }).toEqual({ at, name, fits: true, errors: null });
      }
    }
  });

  test.each(ids)("%s has an example of every JSON or text body it takes or answers with a success", (id) => {
    const { requestBody, responses } = operation(id);
    const bare = Object.entries(requestBody?.content ?? {})
      .filter(([type]) => type !== form)
      .filter(([, { examples }]) => !examples);
    for (const status of promised[id]!.successes) {
      bare.push(...Object.entries(responses[status]!.content!).filter(([type, { examples }]) => !type.startsWith("audio/") && !examples));
    }
    expect(bare.map(([type]) => type)).toEqual([]);
  });
});

describe("media types", () => {
  test("a transcription takes a form or JSON on one operation", () => {
    expect(Object.keys(operation("createTranscription").requestBody!.content).sort()).toEqual([json, form]);
  });

  test("a transcription answers JSON, text, SubRip and WebVTT, the texts with their charset, and events", () => {
    const types = Object.keys(operation("createTranscription").responses["200"]!.content!);
    const texts = ["application/x-subrip; charset=utf-8", "text/event-stream", "text/plain; charset=utf-8", "text/vtt; charset=utf-8"];
    expect(types.sort()).toEqual([json, ...texts]);
  });

  test("speech answers audio only; music and sound effects answer audio or JSON", () => {
    expect(Object.keys(operation("createSpeech").responses["200"]!.content!).sort()).toEqual([...audio].sort());
    for (const id of ["createMusic", "createSoundEffect"]) {
      expect(Object.keys(operation(id).responses["200"]!.content!).sort()).toEqual([json, ...audio].sort());
    }
  });

  test("uploads are forms with a required file; the retired endpoint requires no body at all", () => {
    for (const id of ["createTranscription", "cloneVoice", "understandAudio"]) {
      const body = resolved(operation(id).requestBody!.content[form]!.schema);
      expect(body.required).toContain("file");
      expect(body.properties!["file"]).toMatchObject({ type: "string", format: "binary" });
    }
    expect(operation("cloneVoice").requestBody!.required).toBe(true);
    expect(operation("understandAudio").requestBody!.required ?? false).toBe(false);
    expect(operation("understandAudio").deprecated).toBe(true);
  });
});

describe("headers of a success", () => {
  const seldom = ["x-litellm-response-cost", "x-svc-alias", "x-svc-fallback", "x-svc-fallback-layer"];
  const bill = ["x-request-id", "x-svc-model", "x-svc-cost-usd", "x-svc-balance-usd"];
  test.each([
    ["createTranscription", [...bill, "x-svc-duration-sec", "x-svc-billable-minutes"], seldom],
    ["createSpeech", [...bill, "x-svc-chars-billed"], seldom],
    ["createMusic", [...bill, "x-svc-duration-sec"], seldom],
    ["createSoundEffect", [...bill, "x-svc-duration-sec"], seldom],
    ["listVoices", ["x-request-id", "x-svc-cache"], []],
    ["createImage", ["x-request-id"], ["x-svc-alias", "retry-after", "preference-applied"]],
    ["getJob", ["x-request-id"], ["retry-after"]],
  ])("%s: always %j, sometimes %j", (id, always, sometimes) => {
    const headers = Object.entries(operation(id).responses["200"]!.headers!);
    expect(
      headers
        .filter(([, { required }]) => required)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...always].sort());
    expect(
      headers
        .filter(([, { required }]) => !required)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...sometimes].sort());
  });

  test("x-svc-cache says may-hit, partial or miss", () => {
    expect(operation("listVoices").responses["200"]!.headers!["x-svc-cache"]!.schema.enum).toEqual(["may-hit", "partial", "miss"]);
  });

  test("the fallback layer of a transcription is 1, 2 or 3", () => {
    const { schema: layer } = operation("createTranscription").responses["200"]!.headers!["x-svc-fallback-layer"]!;
    expect(layer).toMatchObject({ type: "integer", minimum: 1, maximum: 3 });
  });

  test.each(["createImage", "createImageEdit", "createImageVariation", "createVideo", "runGenmedia"])(
    "%s takes Idempotency-Key, of any length, since longer ones are cut",
    (id) => {
      const header = operation(id).parameters.find(({ name }) => name === "Idempotency-Key");
      expect(header).toMatchObject({ in: "header", required: false, schema: { type: "string" } });
      expect(header!.schema).not.toHaveProperty("maxLength");
    },
  );
});

function declaredStatuses(responses: object): number[] {
  return Object.keys(responses).map(Number).sort();
}

/** Fields below a schema that say nothing, as paths. */
function silentFields(body: Schema, name: string): string[] {
  return reachable(body, name).flatMap(({ at, schema: { properties } }) =>
    Object.entries(properties ?? {})
      .filter(([, property]) => !property.description && !resolved(property).description)
      .map(([key]) => `${at}.${key}`),
  );
}
