// Holds a value against Amazon's own description of the service, taken from botocore (service-model.json names version and licence).
import { readFileSync } from "node:fs";

interface Shape {
  type: string;
  union?: boolean;
  required?: string[];
  members?: Record<string, string>;
  member?: string;
  value?: string;
  enum?: string[];
  pattern?: string;
  min?: number;
  max?: number;
}

const { shapes } = JSON.parse(readFileSync(new URL("service-model.json", import.meta.url), "utf8")) as { shapes: Record<string, Shape> };

/** One sentence for each fault; empty: the value is of this shape. */
export function shapeFaults(name: string, value: unknown, at = name): string[] {
  const shape = shapes[name];
  if (shape === undefined) return [`${at}: the model has no shape ${name}`];
  const wrong = (what: string) => [`${at}: ${what}`];
  switch (shape.type) {
    case "structure":
      return structureFaults(shape, value, at);
    case "list":
      if (!Array.isArray(value)) return wrong("is no list");
      return [
        ...boundFaults(shape, value.length, at),
        ...value.flatMap((item, index) => shapeFaults(shape.member!, item, `${at}[${index}]`)),
      ];
    case "map":
      return Object.entries(value as object).flatMap(([key, item]) => shapeFaults(shape.value!, item, `${at}.${key}`));
    case "string":
      if (typeof value !== "string") return wrong("is no text");
      if (shape.enum !== undefined && !shape.enum.includes(value)) return wrong(`"${value}" is none of ${shape.enum.join(", ")}`);
      if (shape.pattern !== undefined && !new RegExp(`^(?:${shape.pattern})$`).test(value))
        return wrong(`"${value}" has not the form ${shape.pattern}`);
      return boundFaults(shape, value.length, at);
    case "integer":
    case "long":
      return Number.isInteger(value) ? boundFaults(shape, value as number, at) : wrong("is no whole number");
    case "float":
      return typeof value === "number" ? boundFaults(shape, value, at) : wrong("is no number");
    case "boolean":
      return typeof value === "boolean" ? [] : wrong("is no boolean");
    case "blob":
      return typeof value === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(value) ? [] : wrong("is no base64");
    default:
      return []; // a document: any JSON
  }
}

function structureFaults({ members = {}, required = [], union }: Shape, value: unknown, at: string): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: is no object`];
  const names = Object.keys(value);
  return [
    ...names.filter((name) => !(name in members)).map((name) => `${at}: has no member "${name}"`),
    ...required.filter((name) => !names.includes(name)).map((name) => `${at}: "${name}" is missing`),
    ...(union && names.length !== 1 ? [`${at}: is a union and has ${names.length} members`] : []),
    ...Object.entries(value).flatMap(([name, item]) => (name in members ? shapeFaults(members[name]!, item, `${at}.${name}`) : [])),
  ];
}

function boundFaults({ min, max }: Shape, size: number, at: string): string[] {
  return (min !== undefined && size < min) || (max !== undefined && size > max)
    ? [`${at}: ${size} is not from ${min ?? 0} to ${max ?? "any"}`]
    : [];
}
