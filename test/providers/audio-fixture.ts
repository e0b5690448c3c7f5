// Calls audio adapters against a host that answers as a test says, and collects the audio.
import type { AudioBody, MadeAudio } from "../../src/providers/verbs/audio.ts";
import type { Provider, UpstreamCall } from "../../src/providers/types.ts";
import { type Answer, type Host, routeTo } from "./upstream-fixture.ts";

export function callTo(host: Host, provider: Partial<Provider> = {}, signal = new AbortController().signal): UpstreamCall {
  return { route: routeTo(host.url, provider), signal, requestId: "req_test", publicModel: "demo/audio" };
}

/** Sends each piece in a write of its own. */
export function pieces(list: readonly (string | Buffer)[], contentType = "audio/mpeg"): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-type": contentType });
    const send = (at: number) =>
      at === list.length ? void response.end() : void response.write(list[at]!, () => setTimeout(send, 2, at + 1));
    send(0);
  };
}

export function bodyOf(made: MadeAudio): AudioBody {
  if (made.kind !== "stream") throw new Error("a stream was expected");
  return made.body;
}

export async function bytesOf(made: MadeAudio): Promise<Buffer> {
  if (made.kind === "whole") return made.bytes;
  const read: Buffer[] = [];
  await made.body.read((chunk) => {
    if (chunk.length === 0) throw new Error("an empty piece");
    read.push(Buffer.from(chunk));
  });
  return Buffer.concat(read);
}

/** A host whose answer never ends; reports how much it could write until its socket was full. */
export function endless(head: Buffer, block: Buffer, contentType: string): { answer: Answer; written: () => number } {
  let written = 0;
  return {
    written: () => written,
    answer(_request, response) {
      response.writeHead(200, { "content-type": contentType });
      response.write(head);
      const more = (error?: Error | null): void => {
        if (error || response.destroyed || response.socket === null) return;
        written += block.length;
        response.write(block, more);
      };
      more();
    },
  };
}

/** Waits until a figure no longer changes. */
export async function settled(figure: () => number): Promise<number> {
  for (let before = -1; ;) {
    if (before === figure()) return before;
    before = figure();
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}
