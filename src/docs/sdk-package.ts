// svc-sdk as a package file, for `npm install ADDRESS/docs/svc-sdk.tgz`: what `npm pack` makes of generated/sdk, its README with this
// gateway's address. The same bytes as long as the contract and the address are the same: npm remembers their hash.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";

export const sdkPackageName = "svc-sdk.tgz";

const folder = fileURLToPath(new URL("../../generated/sdk/", import.meta.url));

export function packSdk(publicUrl: string | null): Buffer {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replace(/\/+/g, "/").slice(folder.length))
    .sort();
  const files = names.map((name) => {
    const text = readFileSync(folder + name, "utf8");
    const data = name === "README.md" && publicUrl !== null ? text.replaceAll("https://gateway.example", publicUrl) : text;
    return { name: `package/${name}`, data: Buffer.from(data), attrs: { mtime: 0 } };
  });
  return gzipSync(createTar(files));
}
