// How the console is built: hashed names, one chunk a page, a copy of each file compressed by Brotli and gzip beside it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const outDir = here("../../dist/console");
const sdk = (file: string) => here(`../../generated/sdk/${file}`);

export default defineConfig({
  root: here("."),
  // Relative, because the gateway may be below a path; the server writes the path into the page.
  base: "./",
  publicDir: false,
  plugins: [react(), tailwindcss(), compressed()],
  resolve: {
    alias: {
      "svc-sdk/functions": sdk("functions.js"),
      // The same file a second time, so that what operators call is in their chunks alone.
      "svc-sdk/operator": `${sdk("functions.js")}?operator`,
      "svc-sdk/types": sdk("types.js"),
      "svc-sdk": sdk("index.js"),
    },
  },
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    // Few files for the first page, so that none waits for a connection: what every page is made of, and what most pages share.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "early", test: /src\/console\/lib\/(?:early|place|returned|token)\.ts$/, priority: 3 },
            { name: "vendor", test: /node_modules\/(?:react|react-dom|scheduler|@tanstack)\//, priority: 2 },
            { name: "shared", test: /src\/console\/(?:lib|ui|shell)\/|generated\/sdk\/(?!functions\.js\?)/, minShareCount: 9, priority: 1 },
          ],
        },
      },
    },
  },
});

/** Once at the build, at the best quality: the server only reads. */
function compressed(): Plugin {
  return {
    name: "compressed",
    writeBundle({ dir = outDir }) {
      const folder = join(dir, "assets");
      for (const name of readdirSync(folder).filter((file) => /\.(?:js|css|svg)$/.test(file))) {
        const bytes = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
