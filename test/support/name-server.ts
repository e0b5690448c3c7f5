// A name server on this machine that answers for TXT records from a table.
import { createSocket, type RemoteInfo } from "node:dgram";

export interface NameServer {
  /** As SVC_DNS_SERVERS takes it. */
  address: string;
  /** By name; a text that is too long for one string of a record is sent in several. */
  records: Map<string, string[]>;
  /** Names that get no answer. */
  silent: Set<string>;
  /** The names that were asked for. */
  asked: string[];
  close(): void;
}

export async function startNameServer(): Promise<NameServer> {
  const records = new Map<string, string[]>();
  const silent = new Set<string>();
  const asked: string[] = [];
  const server = createSocket("udp4");
  server.on("message", (question, from: RemoteInfo) => {
    const { name, end } = readQuestion(question);
    asked.push(name);
    if (!silent.has(name)) server.send(answerTo(question, end, records.get(name)), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
  return { address: `127.0.0.1:${server.address().port}`, records, silent, asked, close: () => void server.close() };
}

/** The question's name ends with a zero byte, after which come its type and class (RFC 1035, 4.1). */
function readQuestion(question: Buffer): { name: string; end: number } {
  const end = question.indexOf(0, 12);
  const labels: string[] = [];
  for (let at = 12; at < end; at += question[at]! + 1) labels.push(question.toString("latin1", at + 1, at + 1 + question[at]!));
  return { name: labels.join(".").toLowerCase(), end: end + 5 };
}

function answerTo(question: Buffer, end: number, texts: string[] | undefined): Buffer {
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(texts === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(texts?.length ?? 0, 6);
  const answers = (texts ?? []).map((text) => {
    const strings = (text.match(/.{1,255}/gs) ?? [""]).map((part) =>
      Buffer.concat([Buffer.from([part.length]), Buffer.from(part, "latin1")]),
    );
    const data = Buffer.concat(strings);
    return Buffer.concat([Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]), data]);
  });
  return Buffer.concat([head, question.subarray(12, end), ...answers]);
}
