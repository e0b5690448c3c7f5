// The drawing and the table of docs/architecture.md, held against the folders of src and what they import at run time.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const page = read("docs/architecture.md");

/** Layers of the drawing from top to bottom, each with the words of its column of rooms. */
const layers = new Map<string, string[]>();
for (const [, name, rooms] of page.matchAll(/^ │ (.{10})(.{29})/gm)) {
  const layer = name!.trim() || [...layers.keys()].at(-1)!;
  layers.set(layer, [...(layers.get(layer) ?? []), ...rooms!.trim().split(/ {2}/)]);
}
const order = [...layers.keys()];

/** Room to its layer, by the table. */
const [, table] = /^## Rooms\n(.*?)^## /ms.exec(page)!;
const layerOf = new Map([...table!.matchAll(/^\| `([\w-]+)` \| ([\w-]+) \|/gm)].map(([, room, layer]) => [room!, layer!]));

const beside = "beside";
/** Beside the folders: what starts the gateway, and what everything may import. */
const rootFiles = ["main"];

function layerOfFile(file: string): string {
  const [, room, ...rest] = file.split("/");
  if (file.startsWith("handlers/")) return "edge";
  if (rest.length > 0) return layerOf.get(room!) ?? `${room} stands in no layer`;
  return rootFiles.includes(room!.replace(/\.ts$/, "")) ? "roots" : "leaves";
}

test("every folder of src stands in the table, and in the drawing's layer", () => {
  const folders = globSync("src/*/", { cwd: root }).map((folder) => folder.split("/")[1]!);
  expect([...layerOf.keys()].sort()).toEqual(folders.sort());
  const drawn = order.flatMap((layer) => layers.get(layer)!.flatMap((room) => (layerOf.has(room) ? [`${room}: ${layer}`] : [])));
  const listed = [...layerOf].filter(([, layer]) => layer !== beside).map(([room, layer]) => `${room}: ${layer}`);
  expect(drawn.sort()).toEqual(listed.sort());
});

test("no import leads to a higher layer", () => {
  const files = globSync(["src/**/*.ts", "handlers/*.ts"], { cwd: root });
  const offenders = files.flatMap((file) => {
    const own = layerOfFile(file);
    if (own === "roots" || own === beside) return [];
    return [...read(file).matchAll(/^(?:import|export) (?!type\b)(?!\{(?:\s*type [^,}]*,?)*\s*\})(?:[^;"]*? from )?"(\.[^"]+)"/gm)]
      .map(([, path]) => normalize(join(dirname(file), path!)))
      .filter((target) => !target.startsWith("generated/") && order.indexOf(layerOfFile(target)) < order.indexOf(own))
      .map((target) => `${file} (${own}) imports ${target} (${layerOfFile(target)})`);
  });
  expect(offenders).toEqual([]);
});
