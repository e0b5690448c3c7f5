// Texts that are bytes or an address, where a lenient loader finds an address or a path that a strict reader does not: blanks and controls
// in it, a bare path. Bytes and words beside them go through as sent.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "./chat-gateway.ts";

const sees = { supports_vision: true, input_modalities: ["text", "image", "file", "audio", "video"] };
const world = chatWorld([language("demo/sees", ["sees"], sees)]);

const words = { type: "text", text: "What is this?" };

async function asked(path: string, body: object) {
  const account = await world.account();
  const reply = await world.gateway.request("POST", path, { key: account.key, body: { model: "demo/sees", ...body } });
  if (reply.status !== 200) await world.expectUntouched(account);
  return reply;
}

const chat = (part: object, more: object = {}) =>
  asked("/v1/chat/completions", { max_tokens: 20, messages: [{ role: "user", content: [words, part] }], ...more });

function expectRefused(reply: Awaited<ReturnType<typeof asked>>, param: string) {
  expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "invalid_parameter", param]);
  expect(world.sent()).toEqual([]);
}

const recording = (data: string) => ({ type: "input_audio", input_audio: { data, format: "wav" } });
const within = (path: string) => `messages[0].content[1].${path}`;

describe("400 invalid_parameter: an address, whatever stands before it, in it and behind it", () => {
  test.each<[object, string]>([
    [recording("http://169.254.169.254/latest/meta-data/?a b"), "input_audio.data"],
    [{ type: "image", image: "http://10.0.0.1/a b.png" }, "image"],
    [{ type: "video", video: ["file:///etc/pass wd"] }, "video[0]"],
    [{ type: "file", file: { file_data: "http://10.0.0.1/a b" } }, "file.file_data"],
    [{ type: "image", image: "https://example.com/a b.png" }, "image"],
    [{ type: "image", image: "https://example.com/a\u0001.png" }, "image"],
    [{ type: "image", image: "h\tttp://10.0.0.1/" }, "image"],
    [{ type: "image", image: "http:\n/\r/10.0.0.1/" }, "image"],
    [{ type: "image", image: "\u0001http://10.0.0.1/" }, "image"],
    [{ type: "image", image: "\u0000 \u001fFILE:/etc/passwd" }, "image"],
    [{ type: "image", image: "http:10.0.0.1 a" }, "image"],
    [{ type: "image", image: "gopher://10.0.0.1/ a" }, "image"],
    [{ type: "document", document: " http://10.0.0.1/a" }, "document"],
    [{ type: "document", document: { data: "\u0001http://10.0.0.1/a" } }, "document.data"],
  ])("chat: %j", async (part, param) => {
    expectRefused(await chat(part), within(param));
  });

  test("chat: in a field that no contract knows", async () => {
    expectRefused(await chat(words, { images: ["http://10.0.0.1/a b"] }), "images[0]");
    expectRefused(await chat(words, { media: { source: "\u0001http://10.0.0.1/" } }), "media.source");
  });

  test("responses", async () => {
    const item = { role: "user", content: [{ type: "input_file", file_data: "http://10.0.0.1/a b" }] };
    expectRefused(await asked("/v1/responses", { max_output_tokens: 20, input: [item] }), "input[0].content[0].file_data");
  });
});

describe("400 invalid_parameter: the path of a file where a model server runs", () => {
  const paths = [
    "/etc/passwd",
    "//etc/passwd",
    "/proc/1/environ",
    "/root/.ssh/id_rsa",
    "/home/A B/2.png",
    "./a.png",
    "../a.png",
    " /a.png",
  ];
  test.each([...paths, "~/a.png", "~root/a.png", "C:\\a.png", "c:/a.png", "\\\\host\\a.png", "..\\a.png"])("chat: %s", async (path) => {
    expectRefused(await chat({ type: "image", image: path }), within("image"));
  });
  test("chat: inside a part, and in a field that no contract knows", async () => {
    expectRefused(await chat(recording("/etc/passwd")), within("input_audio.data"));
    expectRefused(await chat({ type: "video", video: { frames: ["a", "/etc/passwd"] } }), within("video.frames[1]"));
    expectRefused(await chat(words, { images: ["./a.png"] }), "images[0]");
  });
});

describe("200: forwarded as sent", () => {
  test.each([
    ["bytes of a JPEG", { images: ["/9j/4AAQSkZJRgABAQAAAQABAAD"] }],
    ["the same in lines", { images: ["/9j/4AAQSkZJRgAB\r\nAQAAAQABAAD/2w==\n"] }],
    ["bytes of an MP3", { audio_data: "//uQxAAAAAANIAAAAAExBTUUzLjEwMFVVVVVV" }],
    ["few bytes, with their padding", { audio_data: "//8=" }],
    ["bytes of silence", { audio_data: "/".repeat(4096) }],
    ["bytes that begin as no path does", { images: ["iVBORw0KGgo=", "AAAA"] }],
    ["bytes of 255", { audio_data: "////////" }],
    ["bytes in lines that are indented", { images: ["/9j/4AAQSkZJRgAB\n  AQAAAQABAAD/2w=="] }],
    [
      "a document's words behind the address that it comes from",
      {
        documents: [
          ...["https://example.com is nice", "http://example.com/page\nThe keeper", "https://example.com\n1. Keepers\nada@example.com"],
          ...["File:\nsrc/main.ts", "http://10.0.0.1:3000/ answered 200"],
        ],
      },
    ],
    [
      "names and words of files",
      { file: { file_name: "/home/me/a.pdf", title: "../a.pdf", content: "// a comment", caption: "https://example.com is nice" } },
    ],
    [
      "where a document comes from",
      {
        documents: [
          { id: "/srv/handbook.md", text: "The keeper" },
          { id: "./a.pdf", data: "// words" },
        ],
      },
    ],
    ["words with a colon", { documents: ["File: the keeper's", "blob: a lump"], media: { title: "file: the keeper's" } }],
  ])("%s", async (_, more) => {
    expect((await chat(words, more)).status).toBe(200);
    expect(world.sent()[0]).toMatchObject(more);
  });
});
