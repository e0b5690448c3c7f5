// The WebSocket of /v1/responses at the edge: its bounds, and how it ends when the gateway does.
import { describe, expect, onTestFinished, test } from "vitest";
import { openSocket, type TestSocket } from "../operations/responses/responses-socket.ts";
import { startBalancer } from "../scale/balancer.ts";
import { needTool } from "../support/find-tool.ts";
import { auth, type EdgeUnderTest, startEdge } from "./start-edge.ts";

type Options = Parameters<typeof startEdge>[0];
type Sink = { write: (chunk: string) => unknown };

const created = 'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","output":[]}}\n\n';
const completed =
  'event: response.completed\ndata: {"type":"response.completed","sequence_number":1,"response":{"id":"resp_1","output":[]}}\n\n';

/** An answer that ends when `release` is called. */
async function withOpenTurn(
  options: Options = {},
): Promise<{ edge: EdgeUnderTest; socket: TestSocket; release: () => void; asked: () => number }> {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const stream = async (sink: Sink) => {
    await sink.write(created);
    await gate;
    await sink.write(completed);
  };
  let requests = 0;
  const createResponse = () => {
    requests += 1;
    return { status: 200, headers: { "content-type": "text/event-stream" }, stream };
  };
  const { edge, socket } = await opened({ ...options, handlers: { createResponse } });
  const first = new Promise<void>((resolve) => socket.ws.addEventListener("message", () => resolve(), { once: true }));
  socket.send('{"type":"response.create","model":"m","input":"Hi"}');
  await first;
  return { edge, socket, release, asked: () => requests };
}

async function opened(options: Options = {}): Promise<{ edge: EdgeUnderTest; socket: TestSocket }> {
  const edge = await startEdge(options);
  onTestFinished(() => edge.close(0));
  return { edge, socket: await openSocket(edge.url, auth) };
}

describe("at a shutdown", () => {
  test("an idle one is closed at once with 1001, which says to connect again", async () => {
    const { edge, socket } = await opened();
    await edge.close(60_000);
    expect(await socket.closed).toEqual([1001, "the gateway is stopping: connect again"]);
  });

  test("a running turn is finished, then the connection closes; no other turn begins", async () => {
    const { edge, socket, release, asked } = await withOpenTurn();
    const closed = edge.close(60_000);
    socket.send('{"type":"response.create","model":"m","input":"another"}');
    release();
    expect((await socket.events()).map(({ type }) => type)).toEqual(["response.created", "response.completed"]);
    expect((await socket.closed)[0]).toBe(1001);
    await closed;
    expect(asked()).toBe(1);
    await expect(socket.events()).rejects.toThrow("closed");
  });

  test("one whose turn outlasts the grace time is cut", async () => {
    const { edge, socket } = await withOpenTurn();
    await edge.close(50);
    expect((await socket.closed)[0]).toBeGreaterThan(1000);
  });

  test("where another process takes over, it closes as well, and new ones are refused", async () => {
    const { edge, socket } = await opened();
    await edge.close(60_000, true);
    expect((await socket.closed)[0]).toBe(1001);
    await expect(openSocket(edge.url, auth)).rejects.toThrow();
  });
});

describe("bounds", () => {
  test("one without a turn for too long is closed", async () => {
    const { socket } = await opened({ limits: { socketIdleMs: 50 } });
    expect(await socket.closed).toEqual([1001, "no turn for too long"]);
  });

  test("one that is too old is closed after its turn", async () => {
    const { socket, release } = await withOpenTurn({ limits: { socketAgeMs: 2_000 } }); // long enough for a busy machine to open its turn
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    release();
    expect((await socket.events()).at(-1)).toMatchObject({ type: "response.completed" });
    expect(await socket.closed).toEqual([1001, "open for too long: connect again"]);
  });

  test("more than an account may have are refused, and a place is free again once one has closed", async () => {
    const { edge, socket } = await opened({ limits: { sockets: 4 } });
    const more = [await openSocket(edge.url, auth), await openSocket(edge.url, auth)];
    await expect(openSocket(edge.url, auth)).rejects.toThrow("refused");
    socket.close();
    await socket.closed;
    await expect
      .poll(() =>
        openSocket(edge.url, auth).then(
          (made) => more.push(made),
          () => 0,
        ),
      )
      .toBe(3);
  });

  test("a frame that the memory for bodies can't take ends it with 1013", async () => {
    const { socket } = await opened({ limits: { allBodiesBytes: 1_000 } });
    socket.send("x".repeat(2_000));
    expect((await socket.closed)[0]).toBe(1013);
  });

  test("a client that closes ends its turn's request", async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const createResponse = (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener("abort", () => resolve());
      return {
        status: 200,
        headers: { "content-type": "text/event-stream" },
        stream: async (sink: Sink) => void (await sink.write(created), await aborted),
      };
    };
    const { socket } = await opened({ handlers: { createResponse } });
    socket.send('{"type":"response.create","model":"m","input":"Hi"}');
    await new Promise<void>((next) => socket.ws.addEventListener("message", () => next(), { once: true }));
    socket.close();
    await aborted;
  });
});

const nginx = needTool("nginx");

describe.skipIf(nginx === null)("behind nginx, by deploy/nginx/nginx.conf", () => {
  test("it is passed on, with its turn and its end; a plain request's connection is not upgraded", async () => {
    const createResponse = () => ({
      status: 200,
      headers: { "content-type": "text/event-stream" },
      stream: async (sink: Sink) => void (await sink.write(created + completed)),
    });
    const { edge } = await opened({ handlers: { createResponse } });
    const balancer = await startBalancer(nginx!, [edge.port, edge.port, edge.port]);
    onTestFinished(() => balancer.stop());
    const socket = await openSocket(balancer.url, auth);
    expect((await socket.turn({ model: "m", input: "Hi" })).map(({ type }) => type)).toEqual(["response.created", "response.completed"]);
    expect((await fetch(`${balancer.url}/v1/models`, { headers: auth })).status).toBe(200);
    void edge.close(60_000);
    expect(await socket.closed).toEqual([1001, "the gateway is stopping: connect again"]);
  });
});
