// Turns what a generated validator found into one refusal: which field, missing or wrong, and a sentence that says what is allowed.
import type { ErrorCode } from "../../generated/errors.ts";
import { tagValues } from "../../generated/facts.ts";
import type { Validate } from "../../generated/validators.js";
import { fail } from "../errors/fail.ts";

export type Finding = NonNullable<Validate["errors"]>[number];

/** Throws missing_parameter, invalid_parameter or the field's own code for the finding that helps the caller most. */
export function failInvalid(findings: readonly Finding[], options: { skipSegments?: number; inside?: readonly string[] } = {}): never {
  const finding = chooseFinding(findings);
  const path = [...(options.inside ?? []), ...segmentsOf(finding.instancePath).slice(options.skipSegments ?? 0)];
  const expected = expectedForm(finding);
  const missing = missingField(finding);
  if (missing !== null) {
    const param = pathName([...path, missing]);
    failOwnCode(propertyOf(finding, missing), param, "it is missing");
    return fail("missing_parameter", { param, text: { param, ...(expected === null ? {} : { reason: expected }) } });
  }
  const inner = faultyField(finding);
  const param = pathName(inner === null ? path : [...path, inner]);
  const reason = `it ${problemOf(finding, findings)}${expected === null ? "" : `; ${expected}`}`;
  if (inner === null) failOwnCode(finding.parentSchema, param, reason);
  return fail("invalid_parameter", { param: param || null, text: { param: param || "The body", reason } });
}

/** Some fields have a code of their own instead of the general ones (`x-invalid-code` of the schema). */
function failOwnCode(schema: Finding["parentSchema"], param: string, reason: string): void {
  const code = schema?.["x-invalid-code"];
  if (typeof code === "string") fail(code as ErrorCode, { param, text: { param, reason } });
}

function propertyOf({ parentSchema }: Finding, name: string): Finding["parentSchema"] {
  return (parentSchema?.["properties"] as Record<string, Finding["parentSchema"]> | undefined)?.[name];
}

/** `["messages", "0", "role"]` as people write it: messages[0].role. Cut, since the names are the caller's. */
export function pathName(path: readonly (string | number)[]): string {
  let name = "";
  for (const segment of path) {
    if (typeof segment === "number" || /^\d+$/.test(segment)) name += `[${segment}]`;
    else name += name === "" ? segment : `.${segment}`;
  }
  return name.slice(0, 200);
}

const unions = new Set(["anyOf", "oneOf", "if", "not"]);

/**
 * A union reports every branch that failed and then itself. The deepest finding belongs to the branch that the caller
 * meant; only where no branch got past the type of the value is the union itself reported.
 */
function chooseFinding(findings: readonly Finding[]): Finding {
  const last = findings[findings.length - 1]!;
  const branches = findings.filter(({ keyword }) => !unions.has(keyword));
  if (branches.length === 0) return last;
  if (unions.has(last.keyword) && branches.every(({ keyword, instancePath }) => keyword === "type" && instancePath === last.instancePath))
    return last;
  return branches.reduce((best, finding) => (tellsMore(finding, best) ? finding : best));
}

/** Of two forms of an object that both lack a field, the caller meant the one that has more of the given fields. */
function tellsMore(finding: Finding, best: Finding): boolean {
  const more = rank(finding) - rank(best) || itemOf(finding) - itemOf(best);
  return more > 0 || (more === 0 && fieldsKnown(finding) > fieldsKnown(best));
}

/** Of two kinds of list the caller meant the one that fits more of its first elements. */
function itemOf({ instancePath }: Finding): number {
  return Number(/\/(\d+)$/.exec(instancePath)?.[1] ?? 0);
}

/**
 * Deeper is better; at the same depth a branch that passed type and literal is more informative than one that didn't. A list that is too
 * long is refused before its elements are looked at, so that counts as a finding of an element.
 */
function rank({ instancePath, keyword }: Finding): number {
  const specific = keyword === "type" ? 0 : keyword === "enum" || keyword === "const" ? 1 : 2;
  return (segmentsOf(instancePath).length + (keyword === "maxItems" ? 1 : 0)) * 3 + specific;
}

function fieldsKnown({ keyword, parentSchema, data }: Finding): number {
  const known = parentSchema?.["properties"];
  if (keyword !== "required" || typeof known !== "object" || known === null) return 0;
  return Object.keys(known).filter((name) => Object.hasOwn(data as object, name)).length;
}

function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function missingField({ keyword, params }: Finding): string | null {
  if (keyword === "required" || keyword === "dependentRequired") return String(params["missingProperty"]);
  if (keyword === "discriminator" && params["tagValue"] === undefined) return String(params["tag"]);
  return null;
}

/** A fault that ajv reports on the object around the field. */
function faultyField({ keyword, params }: Finding): string | null {
  const field = keyword === "discriminator" ? params["tag"] : (params["additionalProperty"] ?? params["unevaluatedProperty"]);
  return typeof field === "string" ? field : null;
}

/** The contract's description of the whole form, for callers who send another one (`x-expected` of the schema). */
function expectedForm({ parentSchema }: Finding): string | null {
  const expected = parentSchema?.["x-expected"];
  return typeof expected === "string" ? expected : null;
}

/**
 * A pattern in words (`x-must` of the schema), where the contract has them. The message that TypeSpec keeps beside a pattern isn't emitted.
 */
function wordsOfPattern({ parentSchema, params }: Finding): string | null {
  const must = parentSchema?.["x-must"];
  if (typeof must === "string") return must;
  return params["pattern"] === "\\S" ? "must not be blank" : null;
}

/** What the message says after "… is not valid: it". */
function problemOf(finding: Finding, findings: readonly Finding[]): string {
  const { keyword, params } = finding;
  const limit = String(params["limit"]);
  switch (keyword) {
    case "enum":
    case "const":
      return `must be ${listOf(allowedAt(finding.instancePath, findings))}`;
    case "type":
      return `must be ${listOf(words(params["type"]))}`;
    case "anyOf":
    case "oneOf":
      return `must be ${listOf(findings.filter(({ keyword: other }) => other === "type").flatMap(({ params: type }) => words(type["type"])))}`;
    case "discriminator":
      return `must be ${listOf(tagsOf(finding))}`;
    case "minLength":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minProperties":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} fields`;
    case "maxProperties":
      return `must have at most ${limit} fields`;
    case "minItems":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} elements`;
    case "maxItems":
      return `must have at most ${limit} elements`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `must be ${comparisons[String(params["comparison"])] ?? ""} ${limit}`;
    case "multipleOf":
      return `must be a multiple of ${String(params["multipleOf"])}`;
    case "pattern":
      return wordsOfPattern(finding) ?? `must match ${String(params["pattern"])}`;
    case "format":
      return `must be a valid ${String(params["format"])}`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not a known field";
    default:
      return (finding.message ?? "is not valid").replace(/^must NOT/, "must not");
  }
}

/** The branches of a union of literals report one by one; the caller wants them together. */
function allowedAt(instancePath: string, findings: readonly Finding[]): string[] {
  const allowed: string[] = [];
  for (const { keyword, params, instancePath: at } of findings) {
    if (at !== instancePath) continue;
    if (keyword === "enum") allowed.push(...(params["allowedValues"] as unknown[]).map((value) => JSON.stringify(value)));
    else if (keyword === "const") allowed.push(JSON.stringify(params["allowedValue"]));
    else if (keyword === "type") allowed.push(...words(params["type"]));
  }
  return allowed;
}

function tagsOf({ params, parentSchema }: Finding): string[] {
  const branches = (parentSchema?.["oneOf"] ?? []) as { $ref?: string }[];
  const values = branches.flatMap(({ $ref }) => tagValues[$ref?.split("/").at(-1) ?? ""]?.[String(params["tag"])] ?? []);
  return values.map((value) => JSON.stringify(value));
}

const comparisons: Record<string, string> = { ">=": "at least", "<=": "at most", ">": "more than", "<": "less than" };

const typeWords: Record<string, string> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true, false",
  object: "an object",
  array: "an array",
  null: "null",
};

function words(type: unknown): string[] {
  return (Array.isArray(type) ? type : String(type).split(",")).flatMap((name) => (typeWords[String(name)] ?? String(name)).split(", "));
}

function listOf(choices: readonly string[]): string {
  const distinct = [...new Set(choices)];
  if (distinct.length <= 1) return distinct[0] ?? "of another form";
  return `${distinct.slice(0, -1).join(", ")} or ${distinct.at(-1)}`;
}
