// An OTLP collector over HTTP with protobuf: reads the few fields of a span that the tests need.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SentSpan {
  traceId: string;
  spanId: string;
  /** "": none. */
  parentId: string;
  name: string;
  /** 2: server, 3: client. */
  kind: number;
  /** Nanoseconds. */
  start: bigint;
  end: bigint;
  attributes: Record<string, string | number | boolean>;
  /** 2: error. */
  status: number;
  resource: Record<string, string | number | boolean>;
}

export interface Collector {
  url: string;
  spans: SentSpan[];
  /** All that came, as it came. */
  bytes(): Buffer;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startCollector(status = 200): Promise<Collector> {
  const bodies: Buffer[] = [];
  const spans: SentSpan[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const body = Buffer.concat(chunks);
      bodies.push(body);
      if (req.url === "/v1/traces") spans.push(...spansOf(body));
      res.writeHead(status, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve())));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bytes: () => Buffer.concat(bodies),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** ExportTraceServiceRequest of opentelemetry-proto. */
function spansOf(body: Buffer): SentSpan[] {
  return messages(read(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1).flatMap((found) => messages(found, 1)));
    const spans = messages(resourceSpans, 2).flatMap((scope) => messages(scope, 2));
    return spans.map((span) => ({
      traceId: bytesOf(span, 1).toString("hex"),
      spanId: bytesOf(span, 2).toString("hex"),
      parentId: bytesOf(span, 4).toString("hex"),
      name: bytesOf(span, 5).toString(),
      kind: Number(numberOf(span, 6)),
      start: numberOf(span, 7),
      end: numberOf(span, 8),
      attributes: attributesOf(messages(span, 9)),
      status: Number(messages(span, 15).map((found) => numberOf(found, 3))[0] ?? 0n),
      resource,
    }));
  });
}

function attributesOf(pairs: Fields[]): SentSpan["attributes"] {
  return Object.fromEntries(pairs.map((pair) => [bytesOf(pair, 1).toString(), valueOf(messages(pair, 2)[0] ?? [])]));
}

function valueOf(value: Fields): string | number | boolean {
  const [field] = value;
  if (field === undefined) return "";
  if (field.number === 1) return (field.value as Buffer).toString();
  if (field.number === 2) return field.value === 1n;
  if (field.number === 3) return Number(BigInt.asIntN(64, field.value as bigint));
  const double = Buffer.alloc(8);
  double.writeBigUInt64LE(field.value as bigint);
  return double.readDoubleLE();
}

type Fields = { number: number; value: bigint | Buffer }[];

const messages = (fields: Fields, number: number): Fields[] =>
  fields.filter((field) => field.number === number).map(({ value }) => read(value as Buffer));
const bytesOf = (fields: Fields, number: number) => (fields.find((field) => field.number === number)?.value ?? Buffer.alloc(0)) as Buffer;
const numberOf = (fields: Fields, number: number) => (fields.find((field) => field.number === number)?.value ?? 0n) as bigint;

/** The wire format of protobuf: a tag, then a varint, 8, 4 or so many bytes. */
function read(bytes: Buffer): Fields {
  const fields: Fields = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    const kind = tag & 7;
    if (kind === 0) fields.push({ number, value: varint() });
    else if (kind === 1) fields.push({ number, value: take(8).readBigUInt64LE() });
    else if (kind === 5) fields.push({ number, value: BigInt(take(4).readUInt32LE()) });
    else if (kind === 2) fields.push({ number, value: take(Number(varint())) });
    else throw new Error(`wire type ${kind}`);
  }
  return fields;
}
