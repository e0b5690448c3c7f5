// Storing what providers made: from a URL or bytes to a file under its name, recognised and measured by its bytes alone.
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMedia } from "../../src/media/media.ts";
import type { KeepOrder, Media } from "../../src/media/types.ts";
import { type FileServer, type Serve, ca, fixture, newFolder, resolver, startFileServer } from "./file-server.ts";

const { folder } = newFolder();
const incoming = join(folder, "media-incoming");
let media: Media;
let server: FileServer;
let serve: Serve = () => undefined;

beforeAll(async () => {
  server = await startFileServer((req, res) => serve(req, res));
  const resolve = resolver({ "files.test": ["127.0.0.1"], "queue.test": ["10.0.0.5"], "outside.test": ["1.1.1.1"] });
  media = await openMedia({ dataDir: folder, blobUrl: null, allowPrivateUrls: true }, { resolve, ca, pausesMs: [1, 1] });
});
afterAll(async () => {
  await media.close();
  await server.close();
});

let names = 0;
function keep(source: { url: string } | { bytes: Buffer }, kind: KeepOrder["kind"] = "image", more: Partial<KeepOrder> = {}) {
  const file = { source, contentType: "image/tiff", width: 1, height: 1, seconds: 1, fps: 1 };
  const name = `file-0000000000-${++names}`;
  return media.keep({ file, kind, name, provider: { baseUrl: "https://queue.test" }, signal: new AbortController().signal, ...more });
}
const invalid = { reason: "invalid" };
const nothing = { width: null, height: null, seconds: null, fps: null };

describe("kinds and measures", () => {
  test.each([
    ["picture.png", "png", "image/png"],
    ["picture.jpg", "jpg", "image/jpeg"],
    ["picture.webp", "webp", "image/webp"],
    ["picture.gif", "gif", "image/gif"],
    ["picture.avif", "avif", "image/avif"],
  ])("%s", async (name, extension, contentType) => {
    const bytes = fixture(name);
    const kept = await keep({ bytes });
    expect(kept).toEqual({
      ...nothing,
      name: `file-0000000000-${names}.${extension}`,
      contentType,
      bytes: bytes.length,
      width: 64,
      height: 48,
    });
    expect((await read(kept.name)).equals(bytes)).toBe(true);
  });

  test.each([
    ["clip.mp4", "mp4", "video/mp4", 24],
    ["clip.mov", "mov", "video/quicktime", 24],
    ["clip.webm", "webm", "video/webm", 24.005], // its timestamps are whole milliseconds
  ])("%s", async (name, extension, contentType, fps) => {
    const bytes = fixture(name);
    expect(await keep({ bytes }, "video")).toEqual({
      name: `file-0000000000-${names}.${extension}`,
      contentType,
      bytes: bytes.length,
      width: 320,
      height: 180,
      seconds: 1.5,
      fps,
    });
  });

  test("a photograph taken upright is measured as it is shown", async () => {
    const jpeg = fixture("picture.jpg");
    const tiff = Buffer.from("4d4d002a00000008" + "0001" + "0112" + "0003" + "00000001" + "00060000" + "00000000", "hex");
    const exif = Buffer.concat([Buffer.from("Exif\0\0"), tiff]);
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
    expect(await keep({ bytes: Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]) })).toMatchObject({ width: 48, height: 64 });
  });

  test.each(["picture.png", "picture.jpg", "picture.webp"])("%s is kept with what an editor appended", async (name) => {
    const longer = Buffer.concat([fixture(name), Buffer.from("a note of an editor")]);
    expect(await keep({ bytes: longer })).toMatchObject({ bytes: longer.length });
  });

  test("a video whose index can't be read is kept with what can be measured", async () => {
    const bytes = Buffer.from(fixture("clip.mp4"));
    bytes.write("none", bytes.indexOf("trak"), "latin1");
    expect(await keep({ bytes }, "video")).toMatchObject({ ...nothing, contentType: "video/mp4" });
  });

  test("an image that would unpack to gigabytes is measured by its head", async () => {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(100_000, 0);
    head.writeUInt32BE(100_000, 4);
    head.set([8, 2], 8);
    const bytes = Buffer.concat([
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      head,
      Buffer.from("0000000000100000494441540", "hex"),
      deflateSync(Buffer.alloc(20_000_000)),
      fixture("picture.png").subarray(-12),
    ]);
    expect(await keep({ bytes })).toMatchObject({ width: 100_000, height: 100_000 });
  });
});

describe("SVG", () => {
  test.each([
    ['<svg xmlns="http://www.w3.org/2000/svg" width="40px" height="20"/>', 40, 20],
    ['<svg width="1in" height="2.54cm"/>', 96, 96],
    ["<svg viewBox='-5,-5, 30.4 60'></svg>", 30, 60],
    ['<svg width="100%" height="100%" viewBox="0 0 200 100"/>', 200, 100],
    ['<svg width="300" viewBox="0 0 200 100"/>', 300, 150],
    ['<svg height="300" viewBox="0 0 200 100"/>', 600, 300],
    ['<svg stroke-width="9" data-width="8" viewBox="0 0 3 4"/>', 3, 4],
    ["<svg/>", null, null],
    ['<svg width="abc" height="0" viewBox="0 0 0 10"/>', null, null],
    [
      '\uFEFF<?xml version="1.0"?>\n<!-- <svg width="1" height="1"> -->\n<!DOCTYPE svg [<!ENTITY a "b">]>\n<svg\n width="7"\n height="8"><svg width="1"/></svg>',
      7,
      8,
    ],
    ['<s:svg xmlns:s="http://www.w3.org/2000/svg" aria-label="a > b" width="7" height="8"/>', 7, 8],
  ])("%s", async (text, width, height) => {
    expect(await keep({ bytes: Buffer.from(text) })).toMatchObject({ contentType: "image/svg+xml", width, height });
    expect(readdirSync(join(folder, "media", "fi"))).toContain(`file-0000000000-${names}.svg`);
  });
});

describe("what is not kept", () => {
  const html = "<!DOCTYPE html><html><svg width='1' height='1'/></html>";
  test.each<[string, Buffer]>([
    ["a page", Buffer.from(html)],
    ["a page behind a comment", Buffer.from(`<!-- <svg> -->${html}`)],
    ["text", Buffer.from("{}")],
    ["nothing", Buffer.alloc(0)],
    ["a video in place of an image", fixture("clip.mp4")],
    ["a program", Buffer.concat([Buffer.from("7f454c460201010000", "hex"), Buffer.alloc(200)])],
    ["a PDF with an image in it", Buffer.concat([Buffer.from("%PDF-1.7\n"), fixture("picture.png")])],
    ["an archive", Buffer.concat([Buffer.from("504b0304", "hex"), Buffer.alloc(200)])],
    ["a packed SVG", Buffer.concat([Buffer.from("1f8b08", "hex"), Buffer.alloc(200)])],
    ["an unclosed comment", Buffer.from(`<!--${"<svg>".repeat(20_000)}`)],
    ["declarations without end", Buffer.from("<?a?>".repeat(20_000))],
  ])("%s", async (_what, bytes) => {
    await expect(keep({ bytes })).rejects.toMatchObject(invalid);
  });

  const cutOff = { reason: "unreachable" };
  test.each(["picture.png", "picture.jpg", "picture.webp", "picture.avif", "clip.mp4", "clip.mov"])(
    "%s whose end is missing",
    async (name) => {
      const bytes = fixture(name);
      const kind = name.startsWith("clip") ? "video" : "image";
      for (const missing of [2, 100, bytes.length - 40])
        await expect(keep({ bytes: bytes.subarray(0, -missing) }, kind), `${missing} bytes missing`).rejects.toMatchObject(cutOff);
    },
  );

  test("an SVG whose end is missing, a video without its index", async () => {
    const svg = '<svg width="4" height="4"><g><path d="M0 0L4 4"/></g>';
    await expect(keep({ bytes: Buffer.from(svg) })).rejects.toMatchObject(cutOff);
    expect(await keep({ bytes: Buffer.from(`${svg}</svg >\n<!-- made -->`) })).toMatchObject({ width: 4 });
    const video = Buffer.from(fixture("clip.mp4"));
    video.write("free", video.indexOf("moov"), "latin1");
    await expect(keep({ bytes: video }, "video")).rejects.toMatchObject(cutOff);
  });

  test("an image in place of a video", async () => {
    await expect(keep({ bytes: fixture("picture.png") }, "video")).rejects.toMatchObject(invalid);
  });

  test("an image that continues as an HTML page is served as the image that it begins as", async () => {
    const bytes = Buffer.concat([fixture("picture.gif"), Buffer.from("<html><script>alert(1)</script>")]);
    expect(await keep({ bytes })).toMatchObject({ contentType: "image/gif", name: expect.stringMatching(/\.gif$/) });
  });

  test("a name that could lead elsewhere", async () => {
    for (const name of ["../../etc/passwd-0000", "short", "Upper-case-000000000", "a".repeat(129)])
      await expect(keep({ bytes: fixture("picture.png") }, "image", { name })).rejects.toThrow("breaks the rule");
  });

  test("more bytes than an image may have", async () => {
    await expect(keep({ bytes: Buffer.alloc(64 * 1024 * 1024 + 1) })).rejects.toMatchObject({ reason: "too_large" });
  });
});

describe("from an address", () => {
  const url = () => `https://files.test:${server.port}/out.png`;
  test("whatever type its server says", async () => {
    serve = (_req, res) => void res.writeHead(200, { "content-type": "text/html" }).end(fixture("picture.png"));
    expect(await keep({ url: url() })).toMatchObject({ contentType: "image/png", width: 64, height: 48 });
  });

  test("doing it again under the same name replaces", async () => {
    serve = (_req, res) => void res.end(fixture("picture.png"));
    const name = "again-00000000000000";
    await keep({ url: url() }, "image", { name });
    const longer = Buffer.concat([fixture("picture.png"), Buffer.alloc(10)]);
    const kept = await keep({ bytes: longer }, "image", { name });
    expect(await read(kept.name)).toEqual(longer);
  });

  test("a server that is busy is asked again, twice", async () => {
    let asked = 0;
    serve = (_req, res) => void (++asked < 3 ? res.writeHead(503).end() : res.end(fixture("picture.png")));
    expect(await keep({ url: url() })).toMatchObject({ width: 64 });
    asked = -10;
    await expect(keep({ url: url() })).rejects.toMatchObject({ reason: "unreachable" });
    expect(asked).toBe(-7);
  });

  test("a file that is cut off on its way is asked for again", async () => {
    let asked = 0;
    const bytes = fixture("picture.png");
    serve = (_req, res) => void res.writeHead(200, { connection: "close" }).end(asked++ === 0 ? bytes.subarray(0, 300) : bytes);
    expect(await keep({ url: url() })).toMatchObject({ bytes: bytes.length });
    expect(asked).toBe(2);
  });

  test("one that has it no more is asked once", async () => {
    let asked = 0;
    serve = (_req, res) => void res.writeHead(((asked += 1), 404)).end();
    await expect(keep({ url: url() })).rejects.toMatchObject(invalid);
    expect(asked).toBe(1);
  });

  test("a provider on the internet can't point inside", async () => {
    const provider = { baseUrl: "https://outside.test/fal" };
    await expect(keep({ url: url() }, "image", { provider })).rejects.toMatchObject(invalid);
  });

  test("an ended job stops it", async () => {
    const ended = new AbortController();
    serve = (_req, res) => {
      res.write("x");
      ended.abort(new Error("ended"));
    };
    await expect(keep({ url: url() }, "image", { signal: ended.signal })).rejects.toThrow("ended");
  });
});

describe("a caller's reference", () => {
  const load = () => media.fetchReference(`https://files.test:${server.port}/in`, new AbortController().signal);
  test.each(["picture.png", "picture.jpg", "picture.webp"])("%s is loaded", async (name) => {
    serve = (_req, res) => void res.end(fixture(name));
    const type = name === "picture.jpg" ? "image/jpeg" : `image/${name.slice(8)}`;
    expect(await load()).toEqual({ bytes: fixture(name), contentType: type });
  });
  test.each(["picture.gif", "picture.avif", "clip.mp4", "tls-certificate.pem"])("%s is not", async (name) => {
    serve = (_req, res) => void res.end(fixture(name));
    await expect(load()).rejects.toMatchObject(invalid);
  });
  test("one above 25 MB is too large", async () => {
    serve = (_req, res) => void res.writeHead(200, { "content-length": String(25 * 1024 * 1024 + 1) }).end();
    await expect(load()).rejects.toMatchObject({ reason: "too_large", message: "The file has more than 25 MB." });
  });
  test("on a private address it is refused where the operator did not open them", async () => {
    const resolve = resolver({ "files.test": ["127.0.0.1"] });
    const shut = await openMedia({ dataDir: folder, blobUrl: null, allowPrivateUrls: false }, { resolve, ca });
    const before = server.connections();
    const loading = shut.fetchReference(`https://files.test:${server.port}/in`, new AbortController().signal);
    await expect(loading).rejects.toMatchObject(invalid);
    expect(server.connections()).toBe(before);
  });
});

test("nothing stays on the way, whatever failed", () => {
  expect(readdirSync(incoming)).toEqual([]);
});

test("a start removes what dead processes left, and nothing of the living", async () => {
  const here = hostname().replace(/[^A-Za-z0-9-]/g, "-");
  const parent = `${here}.${process.ppid}.token.living`;
  const left = [`${here}.${process.pid}.before.a`, `${here}.999999999.token.b`, "elsewhere.1.token.old"];
  const place = join(newFolder().folder, "media-incoming");
  mkdirSync(place, { recursive: true });
  for (const name of [parent, "elsewhere.1.token.new", ...left]) writeFileSync(join(place, name), "x");
  utimesSync(join(place, "elsewhere.1.token.old"), 0, 0);
  const opened = await openMedia({ dataDir: join(place, ".."), blobUrl: null, allowPrivateUrls: false });
  await opened.close();
  expect(readdirSync(place).sort()).toEqual([parent, "elsewhere.1.token.new"].sort());
});

async function read(name: string): Promise<Buffer> {
  expect(readFileSync(join(folder, "media", name.slice(0, 2), name))).toBeDefined();
  const file = await media.store.open(name, null);
  return Buffer.concat(await file!.stream.toArray());
}
