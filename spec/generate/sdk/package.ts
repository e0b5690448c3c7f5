// generated/sdk/: everything that the package consists of, by path.
import { readFileSync } from "node:fs";
import type { Document } from "../document.ts";
import { runtimeFiles, sources } from "./transpile.ts";
import { sdkTypesSource } from "./types.ts";
import { clientSource, clientTypes } from "./write-client.ts";
import { functionsSource, functionTypes } from "./write-functions.ts";

export function sdkFiles(document: Document): Record<string, string> {
  const runtime = Object.entries(runtimeFiles()).map(([name, text]) => [`runtime/${name}`, text]);
  return {
    "package.json": `${JSON.stringify(manifest(document), null, 2)}\n`,
    "README.md": readFileSync(`${sources}README.md`, "utf8"),
    "CHANGELOG.md": readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8"),
    "index.js": clientSource(document),
    "index.d.ts": clientTypes(document),
    "functions.js": functionsSource(document),
    "functions.d.ts": functionTypes(document),
    "types.d.ts": sdkTypesSource(document),
    "types.js": "export {};\n",
    ...(Object.fromEntries(runtime) as Record<string, string>),
  };
}

function manifest(document: Document) {
  const { version } = document.info as { version: string };
  return {
    name: "svc-sdk",
    version,
    description: "Client of the multi-model gateway: typed, without dependencies, for Node, browsers, Deno, Bun and edge runtimes.",
    license: "UNLICENSED",
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    main: "./index.js",
    types: "./index.d.ts",
    exports: {
      ".": { types: "./index.d.ts", default: "./index.js" },
      "./functions": { types: "./functions.d.ts", default: "./functions.js" },
      "./types": { types: "./types.d.ts", default: "./types.js" },
      "./package.json": "./package.json",
    },
    files: ["*.js", "*.d.ts", "runtime", "CHANGELOG.md"],
    // npm then refuses to publish from where nothing can attest how the package was made.
    publishConfig: { provenance: true },
  };
}
