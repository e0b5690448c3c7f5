// Recordings at addresses and the disk, which is the database's too: all of them together have a bound, and a call beyond it is
// told to come again, free.
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { recording, transcriber, transcriptionWorld } from "../operations/transcriptions/transcription-gateway.ts";
import { eventually } from "../support/eventually.ts";

const world = transcriptionWorld([transcriber("demo/stt", ["stt"])], {}, { media: { roomBytes: Math.floor(recording.length * 1.5) } });

test("503 overloaded while there is no room, 200 once there is", async () => {
  const account = await world.account();
  const slow: ServerResponse[] = [];
  const url = world.publish((_request, response) => {
    response.writeHead(200).write(recording.subarray(0, recording.length - 1));
    slow.push(response);
  });
  const first = world.fetch(account, { model: "demo/stt", audio_url: url });
  await eventually(() => expect(world.bytesOnDisk()).toBe(recording.length - 1));
  const other = await world.account();
  const reply = await world.fetch(other, { model: "demo/stt" });
  expect([reply.status, reply.json.error.code]).toEqual([503, "overloaded"]);
  await world.expectUntouched(other);
  slow[0]!.end(recording.subarray(-1));
  expect((await first).status).toBe(200);
  await eventually(async () => expect((await world.fetch(account, { model: "demo/stt" })).status).toBe(200));
  for (let n = 0; n < 5; n += 1)
    expect((await world.fetch(account, { model: "demo/stt", audio_url: world.publish(Buffer.alloc(1e6)) })).status).toBe(415);
  await eventually(async () => expect((await world.fetch(account, { model: "demo/stt" })).status).toBe(200));
});
