// What a bundler keeps of the package: the functions that are used, and nothing of the others. The README names the sizes.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { readme, root } from "./packed.ts";

async function bundled(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: `${root}generated/sdk` },
    ...{ bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022", write: false, logLevel: "silent" },
  });
  return outputFiles[0]!.text;
}
const kilobytes = (text: string) => ({ whole: text.length / 1000, compressed: gzipSync(text, { level: 9 }).length / 1000 });
const pathsIn = (text: string) => Object.values(operations).flatMap(({ path }) => (text.includes(`"${path}"`) ? [path] : []));

const chatAlone = 'export { createClient, createChatCompletion } from "./functions.js"';
const whole = 'export { default } from "./index.js"';

describe("a bundle", () => {
  test("of chat alone holds no other operation's path, no forms, bytes and lists, and is as small as the README says", async () => {
    const text = await bundled(chatAlone);
    expect(pathsIn(text)).toEqual(["/v1/chat/completions"]);
    expect(text).not.toMatch(/FormData\(|has_more|last_id|octet-stream|getRandomValues/);
    const [, kb, gzip] = /chat alone has (\d+) KB \((\d+) KB\s+compressed\)/.exec(readme())!.map(Number);
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
    const [, kb, gzip] = /whole client (\d+) KB \((\d+) KB\s+compressed\)/.exec(readme())!.map(Number);
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
