// Generated audio: stored under its name in the requested format, and downloaded from a provider's URL.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMedia } from "../../src/media/media.ts";
import type { Media } from "../../src/media/types.ts";
import { ca, type FileServer, newFolder, resolver, type Serve, startFileServer } from "./file-server.ts";

const { folder } = newFolder();
const name = "audio-0123456789abcdef";
const inside = { baseUrl: "https://queue.test" };
const outside = { baseUrl: "https://outside.test" };
let media: Media;
let server: FileServer;
let serve: Serve = () => undefined;
let made: string;

beforeAll(async () => {
  server = await startFileServer((req, res) => serve(req, res));
  made = `https://files.test:${server.port}/song.mp3`;
  const resolve = resolver({ "files.test": ["127.0.0.1"], "queue.test": ["10.0.0.5"], "outside.test": ["1.1.1.1"] });
  media = await openMedia({ dataDir: folder, blobUrl: null, allowPrivateUrls: false }, { resolve, ca });
});
afterAll(async () => {
  await media.close();
  await server.close();
});

const leftOver = () => readdirSync(join(folder, "media-incoming"));
const load = (url = made, provider = inside, signal = new AbortController().signal) => media.fetchMade(url, provider, signal);

describe("keeping", () => {
  test.each([
    ["mp3", "audio/mpeg"],
    ["pcm", "audio/pcm"],
    ["ulaw", "audio/basic"],
  ] as const)("%s lies there whole, is called %s and leaves nothing on the way", async (extension, contentType) => {
    const bytes = Buffer.from([0, 255, 1, 254, 10, 13]);
    const kept = await media.keepAudio({ bytes, name, extension });
    expect(kept).toEqual({ name: `${name}.${extension}` });
    expect(media.contentTypeOf(kept.name)).toBe(contentType);
    const file = (await media.store.open(kept.name, null))!;
    expect(Buffer.concat(await file.stream.toArray())).toEqual(bytes);
    expect(leftOver()).toEqual([]);
  });

  test.each([["short"], ["../../0123456789abcdef"], ["audio/0123456789abcdef"]])("never under the name %s", async (wrong) => {
    await expect(media.keepAudio({ bytes: Buffer.alloc(1), name: wrong, extension: "mp3" })).rejects.toThrow();
    expect(leftOver()).toEqual([]);
  });

  test.each([["constructor"], ["wav"], ["html"]])("no file of ours ends with .%s", (extension) => {
    expect(media.contentTypeOf(`${name}.${extension}`)).toBeNull();
  });
});

describe("loading what a provider made", () => {
  test("gives its bytes and leaves nothing on disk", async () => {
    const song = Buffer.alloc(200_000, "la");
    serve = (_req, res) => res.end(song);
    expect((await load()).equals(song)).toBe(true);
    expect(leftOver()).toEqual([]);
  });

  test.each([
    [404, "unreadable"],
    [503, "unavailable"],
  ])("%i is %s", async (status, fault) => {
    serve = (_req, res) => res.writeHead(status).end();
    await expect(load()).rejects.toMatchObject({ name: "Error", fault });
  });

  test("more than 64 MB is unreadable", async () => {
    serve = (_req, res) => res.writeHead(200, { "content-length": String(64 * 1024 * 1024 + 1) }).end();
    await expect(load()).rejects.toMatchObject({ fault: "unreadable" });
    expect(leftOver()).toEqual([]);
  });

  test("of a provider outside never lies on a private address", async () => {
    const before = server.requests.length;
    await expect(load(made, outside)).rejects.toMatchObject({ fault: "unreadable" });
    expect(server.requests).toHaveLength(before);
  });

  test("ends with the signal's reason where the caller disconnects", async () => {
    const controller = new AbortController();
    serve = (_req, res) => {
      res.writeHead(200).write("beginning");
      controller.abort(new Error("gone"));
    };
    await expect(load(made, inside, controller.signal)).rejects.toThrow("gone");
    expect(leftOver()).toEqual([]);
  });
});
