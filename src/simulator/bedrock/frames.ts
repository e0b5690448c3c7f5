// Amazon's event stream: a record of a stream as a binary frame, with the checksums of its head and of the whole.
import { crc32 } from "node:zlib";
import { parseJson } from "../../json/parse.ts";

/** A record is `{"EVENT":{…}}`, as Amazon's SDKs show it; one without such a name is an error's body. */
export function frameOf(record: string): Buffer {
  const event = /^\{"(messageStart|contentBlockStart|contentBlockDelta|contentBlockStop|messageStop|metadata)":/.exec(record)?.[1];
  if (event === undefined) return frame({ ":exception-type": "modelStreamErrorException", ":message-type": "exception" }, record);
  return frame({ ":event-type": event, ":message-type": "event" }, bodyOf(record, event));
}

/** A record that a directive has cut is a body that isn't JSON. */
function bodyOf(record: string, event: string): string {
  try {
    return JSON.stringify((parseJson(record) as Record<string, unknown>)[event]);
  } catch {
    return record.slice(record.indexOf(":") + 1);
  }
}

/** Of a header's value: text. */
const textType = 7;

function frame(named: Record<string, string>, text: string): Buffer {
  const headers = Buffer.concat(Object.entries({ ...named, ":content-type": "application/json" }).flatMap(headerOf));
  const body = Buffer.from(text);
  const head = Buffer.alloc(12);
  head.writeUInt32BE(head.length + headers.length + body.length + 4, 0);
  head.writeUInt32BE(headers.length, 4);
  head.writeUInt32BE(crc32(head.subarray(0, 8)), 8);
  const whole = Buffer.concat([head, headers, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(whole), 0);
  return Buffer.concat([whole, end]);
}

function headerOf([name, value]: [string, string]): Buffer[] {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value), 0);
  return [Buffer.from([name.length]), Buffer.from(name), Buffer.from([textType]), length, Buffer.from(value)];
}
