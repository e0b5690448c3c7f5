// Parses SVC_BLOB_URL: `s3://BUCKET/PREFIX?region=…&endpoint=https://…&path_style=1`. Credentials are not part of it: the AWS SDK finds
// them in its own variables (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, …), files and machine roles.

export interface BlobAddress {
  bucket: string;
  /** With a slash at its end, or "". */
  prefix: string;
  /** Null: the SDK finds it (AWS_REGION). */
  region: string | null;
  /** Null: AWS's own. */
  endpoint: string | null;
  /** Whether the bucket is part of the path instead of the host's name, as most servers other than AWS need it. */
  pathStyle: boolean;
}

const form = 'SVC_BLOB_URL must be like "s3://bucket/prefix?region=eu-central-1&endpoint=https://host&path_style=1"';
const known = new Set(["region", "endpoint", "path_style"]);

/** Throws a sentence for the operator. It never repeats the address, which may hold a secret by mistake. */
export function readBlobAddress(text: string): BlobAddress {
  const url = URL.parse(text);
  if (url?.protocol !== "s3:") throw new Error(form);
  if (url.username !== "" || url.password !== "")
    throw new Error("SVC_BLOB_URL must hold no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) throw new Error(`${form}; its bucket's name is not one`);
  for (const name of url.searchParams.keys()) {
    if (!known.has(name)) throw new Error(`${form}; its only parameters are region, endpoint and path_style`);
  }
  const given = (name: string) => url.searchParams.get(name) || null;
  const endpoint = given("endpoint");
  const pathStyle = given("path_style") ?? "0";
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    throw new Error(`${form}; its endpoint is no http or https address`);
  if (pathStyle !== "0" && pathStyle !== "1") throw new Error(`${form}; its path_style is neither 1 nor 0`);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  return { bucket: url.host, prefix: prefix && `${prefix}/`, region: given("region"), endpoint, pathStyle: pathStyle === "1" };
}
