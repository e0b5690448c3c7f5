// What a bundler keeps of the package: the functions that are used, and nothing of the others. The README names the sizes.
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { readme, root } from "./packed.ts";

async function bundled(code: string): Promise<string> {
  const entry = `${root}generated/sdk/entry.js`;
  const source = {
    name: "entry",
    resolveId: (id: string) => (id === entry ? id : undefined),
    load: (id: string) => (id === entry ? code : undefined),
  };
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    transform: { target: "es2022" },
    logLevel: "silent",
    plugins: [source],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  return output[0].code;
}
const kilobytes = (text: string) => ({ whole: text.length / 1000, compressed: gzipSync(text, { level: 9 }).length / 1000 });
/** Whichever quotes the bundler takes. */
const pathsIn = (text: string) =>
  Object.values(operations).flatMap(({ path }) => (["`", '"'].some((quote) => text.includes(quote + path + quote)) ? [path] : []));

const chatAlone = 'export { createClient, createChatCompletion } from "./functions.js"';
const whole = 'export { default } from "./index.js"';

describe("a bundle", () => {
  test("of chat alone holds no other operation's path, no forms, bytes and lists, and is as small as the README says", async () => {
    const text = await bundled(chatAlone);
    expect(pathsIn(text)).toEqual(["/v1/chat/completions"]);
    expect(text).not.toMatch(/FormData\(|has_more|last_id|octet-stream|getRandomValues/);
    const [, kb, gzip] = /chat alone has (\d+) KB\s+\((\d+) KB\s+compressed\)/.exec(readme())!.map(Number);
    const size = kilobytes(text);
    console.log(`chat alone: ${size.whole} KB, ${size.compressed} KB compressed`);
    expect(size.whole).toBeLessThan(kb!);
    expect(size.compressed).toBeLessThan(gzip!);
  });

  test("of embeddings alone holds no streams", async () => {
    expect(await bundled('export { createClient, createEmbeddings } from "./functions.js"')).not.toMatch(/\[DONE\]|TextDecoder/);
  });

  test("of the client holds every operation that has a name, and is as small as the README says", async () => {
    const text = await bundled(whole);
    expect(pathsIn(text).length).toBeGreaterThan(25);
    const [, kb, gzip] = /whole client (\d+) KB\s+\((\d+) KB\s+compressed\)/.exec(readme())!.map(Number);
    const size = kilobytes(text);
    console.log(`client: ${size.whole} KB, ${size.compressed} KB compressed`);
    expect(size.whole).toBeLessThan(kb!);
    expect(size.compressed).toBeLessThan(gzip!);
    expect(kilobytes(await bundled(chatAlone)).whole).toBeLessThan(size.whole * 0.55);
  });

  test("of nothing that is used is empty", async () => {
    expect(await bundled('import "./index.js"; import "./functions.js"')).toBe("");
  });
});
