// Sends an answer that is bytes and comes as they are made, as audio does: piece by piece, with the knobs that streams of records have.
import type { ServerResponse } from "node:http";
import type { OpenCall } from "./calls.ts";
import { cut, waitFor, writeSplit } from "./connection.ts";
import type { Knobs } from "./knob-list.ts";
import type { PiecesReply } from "./protocol.ts";

export async function sendPieces({ headers, pieces }: PiecesReply, knobs: Knobs, call: OpenCall, response: ServerResponse): Promise<void> {
  response.writeHead(200, headers);
  response.flushHeaders();
  if (knobs.empty) return void response.end();
  for (const piece of pieces()) {
    if (call.records > 0 && knobs.paceMs && !(await waitFor(response, knobs.paceMs))) return;
    if (call.records === knobs.cutAfter) return cut(call, response);
    if (call.records === knobs.stallAfter) return;
    if (call.records === knobs.endAfter) return void response.end();
    // One piece a turn of the event loop: it arrives as it would from a model that still speaks.
    if (!(await writeSplit(response, piece, knobs.splitBytes ?? piece.length))) return;
    call.records += 1;
  }
  response.end();
}
