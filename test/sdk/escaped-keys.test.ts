// Answers with keys that are written with escapes: in a customer's process any other code may have read a key with a backslash before, after
// which V8's JSON.parse misreads them (docs/v8-json-escaped-keys.md).
import { expect, test } from "vitest";
import { withAnswers } from "./answers-server.ts";

const body = { model: "m", messages: [{ role: "user" as const, content: "Hello" }] };

test("an answer, an error and a stream's record have the fields that were sent, whatever JSON.parse has read before", async () => {
  for (const [at, key] of ["\\u006e", "\\u540d\\u524d", "a\\n", '\\"'].entries()) {
    const name = JSON.parse(`"${key}"`) as string;
    const start = `{"id":"chatcmpl-${at}","object${at}":1`;
    const error = `{"error":{"code":"c","message${at}":"No."`;
    const mistaken = JSON.stringify(key.slice(0, name.length));
    const text = `${start},"${key}":5}`;
    const refused = `${error},"${key}":5}}`;
    const poison = () => [`${start},${mistaken}:1}`, `${error},${mistaken}:1}}`].forEach((other) => void JSON.parse(other));
    const streamed = (response: import("node:http").ServerResponse) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${text}\n\ndata: [DONE]\n\n`);
    };
    await withAnswers([[200, {}, text], [400, {}, refused], streamed], async (svc) => {
      poison();
      const answer = await svc.chat.completions.create(body);
      expect(Object.keys(answer)).toEqual(["id", `object${at}`, name]);
      const refusal = await svc.chat.completions.create(body).catch((thrown: unknown) => thrown as { body: { error: object } });
      expect(Object.keys((refusal as { body: { error: object } }).body.error)).toEqual(["code", `message${at}`, name]);
      for await (const chunk of await svc.chat.completions.create({ ...body, stream: true }))
        expect(Object.keys(chunk)).toEqual(["id", `object${at}`, name]);
    });
  }
});
