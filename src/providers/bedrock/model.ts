// What a model's id at Bedrock says: whose model it is, and where it is called.

/** `us.anthropic.claude-…`, an ARN that ends so, `amazon.titan-…`; null for ids that name no vendor, such as an application's profile. */
export function vendorOf(model: string): string | null {
  const name = model.slice(model.lastIndexOf("/") + 1).replace(/^(?:us-gov|us|eu|apac|ap|jp|au|ca|global)\./, "");
  return /^([a-z0-9-]+)\.[a-z0-9]/.exec(name)?.[1] ?? null;
}

/** An id that names no vendor may well be a Claude model's. */
export function mayBeClaude(model: string): boolean {
  const vendor = vendorOf(model);
  return vendor === null || vendor === "anthropic";
}

type Operation = "converse" | "converse-stream" | "invoke";

export function modelPath(model: string, operation: Operation): string {
  return `/model/${encodeURIComponent(model)}/${operation}`;
}
