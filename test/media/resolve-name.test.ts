// Names resolved by a real name server on this machine, which answers from a table.
import { type RemoteInfo, type Socket, createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveAsSystem, resolveAt } from "../../src/media/fetch-policy.ts";

const table: Record<string, { a?: string[]; aaaa?: string }> = {
  "both.test": { a: ["93.184.216.34", "10.0.0.1"], aaaa: "26064700000000000000000000001111" },
  "four.test": { a: ["1.1.1.1"] },
  "six.test": { aaaa: "26064700000000000000000000001111" },
};
let server: Socket;
let resolver: Resolver;

beforeAll(async () => {
  server = createSocket("udp4");
  server.on("message", (question, from: RemoteInfo) => void server.send(answerTo(question), from.port, from.address));
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
  resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
});
afterAll(() => server.close());

/** The question's name ends with a zero byte, after which comes its type (RFC 1035, 4.1). */
function answerTo(question: Buffer): Buffer {
  const end = question.indexOf(0, 12);
  const labels: string[] = [];
  for (let at = 12; at < end; at += question[at]! + 1) labels.push(question.toString("latin1", at + 1, at + 1 + question[at]!));
  const type = question.readUInt16BE(end + 1);
  const row = table[labels.join(".")];
  const records =
    type === 1 ? (row?.a ?? []).map((text) => Buffer.from(text.split(".").map(Number))) : row?.aaaa ? [Buffer.from(row.aaaa, "hex")] : [];
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(row === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  const answers = records.map((data) => {
    const fixed = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([head, question.subarray(12, end + 5), ...answers]);
}

test("both families are found, and one of them is enough", async () => {
  expect(await resolveAt(resolver, "both.test")).toEqual([
    { address: "93.184.216.34", family: 4 },
    { address: "10.0.0.1", family: 4 },
    { address: "2606:4700::1111", family: 6 },
  ]);
  expect(await resolveAt(resolver, "four.test")).toEqual([{ address: "1.1.1.1", family: 4 }]);
  expect(await resolveAt(resolver, "six.test")).toEqual([{ address: "2606:4700::1111", family: 6 }]);
});

test("a name that does not exist is an error", async () => {
  await expect(resolveAt(resolver, "none.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("the machine's own resolving knows its hosts file", async () => {
  const found = await resolveAsSystem("localhost");
  expect(found.every(({ address }) => address === "127.0.0.1" || address === "::1")).toBe(true);
});
