// The protocol of the queue (docs/behaviour/providers.md#fal): submit, status, result, cancel, and the files. One state for each simulator.
import { readModelId } from "../directives.ts";
import { planFile } from "../made/file-reply.ts";
import { type Ask, jsonReply, type LiveOperation, type Plan, type SimulatorProtocol, type WholeReply } from "../protocol.ts";
import { readFields, Refused } from "../request-fields.ts";
import { renderRefusal, rewordRefusal } from "./errors.ts";
import { readMediaRequest } from "./media-request.ts";
import { answerCancel, answerResult, answerStatus, answerSubmit, makeFile } from "./answers.ts";
import { keepWorks, type Work, type Works } from "./works.ts";

export function openFal(): SimulatorProtocol {
  const works = keepWorks();
  return {
    name: "fal",
    prefixes: ["/fal"],
    findOperation: () => null,
    findLive: (method, path) => findLive(works, method, path),
    rewordRefusal,
    renderRefusal,
  };
}

function findLive(works: Works, method: string, path: string): LiveOperation | null {
  const isRead = method === "GET" || method === "HEAD";
  const file = /^\/files\/([^/]+)\/(\d{1,3})\.[a-z0-9]+$/.exec(path);
  if (file !== null) return isRead ? (ask) => serveFile(works, file[1]!, Number(file[2]), ask) : null;
  const request = /^\/([^/]+\/[^/]+)\/requests\/([^/]+)(\/status|\/cancel)?$/.exec(path);
  if (request === null) return method === "POST" && path.split("/").length > 2 ? (ask) => submit(works, ask) : null;
  const [, app, id, what] = request as unknown as [string, string, string, string | undefined];
  const answer = what === "/status" && isRead ? answerStatus : what === "/cancel" && method === "PUT" ? answerCancel : null;
  const chosen = answer ?? (what === undefined && isRead ? answerResult : null);
  if (chosen === null) return null;
  return ({ base }) => {
    const work = works.find(id);
    if (work === undefined || work.app !== decodeURIComponent(app)) return { model: null, directives: {}, reply: notFound(), bytes: 0 };
    return chosen(work, base);
  };
}

/** Directives that break a call break this one; those of the work come to light later, sim-slow-Nms among them. */
function submit(works: Works, { path, body, base }: Ask): Plan {
  const model = decodePath(path.slice(1));
  const { name, directives } = readModelId(model);
  const input = readFields(body);
  const app = name.split("/").slice(0, 2).join("/");
  const work = works.add({ model, app, directives, request: readMediaRequest(name, directives, input) });
  const { slowMs: _ofTheWork, ...atOnce } = directives;
  const reply = answerSubmit(work, base);
  return { model, directives: atOnce, reply, bytes: 0 };
}

async function serveFile(works: Works, id: string, index: number, { path, query, base }: Ask): Promise<Plan> {
  const work = works.find(id);
  const file = work === undefined || "type" in work.request ? null : await makeFile(work, work.request, index);
  if (work === undefined || file === null) return { model: null, directives: {}, reply: notFound(), bytes: 0 };
  if (failsYet(work, index))
    return { model: work.model, directives: {}, reply: jsonReply(503, JSON.stringify({ detail: "Try again." })), bytes: 0 };
  return planFile(file, work.directives, work.model, { hop: Number(query.get("hop") ?? 0), here: base + path });
}

/** sim-file-flaky-N, counted for each file. */
function failsYet({ directives, failed }: Work, index: number): boolean {
  const before = failed.files[index] ?? 0;
  if (before >= (directives.fileFlaky ?? 0)) return false;
  failed.files[index] = before + 1;
  return true;
}

function notFound(): WholeReply {
  return jsonReply(404, JSON.stringify({ detail: "Request not found" }));
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Refused({ status: 400, type: "invalid_request_error", code: "bad_request", message: "The path is not encoded properly." });
  }
}
