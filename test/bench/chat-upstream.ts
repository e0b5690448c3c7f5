// The benchmark's upstream and its reference, each a process of its own: `upstream` answers at once, `reference` is a
// bare node:http server that passes everything through undici's dispatch: no parsing, no accounting (PERF.md).
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Pool } from "undici";

const chunks = 200;
const [role, upstreamUrl] = process.argv.slice(2);

const server =
  role === "upstream" ? createServer(answer) : createServer(passThrough(new Pool(upstreamUrl as string, { connections: 256 })));
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of req) body += chunk;
  if (!body.includes('"stream":true'))
    return void res.writeHead(200, { "content-type": "application/json", "content-length": whole.length }).end(whole);
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (let index = 0; index < chunks; index += 1) {
    res.write(record(`{"delta":{"content":" word${index}"},"index":0,"finish_reason":null}`));
    if (index % 10 === 9) await nextTurn();
  }
  res.write(record('{"delta":{},"index":0,"finish_reason":"stop"}'));
  res.write(
    `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"up","choices":[],"usage":${usage}}\n\n`,
  );
  res.end("data: [DONE]\n\n");
}

function record(choice: string): string {
  return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"up","choices":[${choice}]}\n\n`;
}

function passThrough(pool: Pool): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    pool.dispatch(
      {
        method: "POST",
        path: req.url as string,
        headers: { "content-type": "application/json", "content-length": req.headers["content-length"] as string },
        body: req,
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status, headers) => void res.writeHead(status, headers as Record<string, string>),
        onResponseData: (_controller, chunk) => void res.write(chunk),
        onResponseEnd: () => void res.end(),
        onResponseError: () => void res.destroy(),
      },
    );
  };
}

const usage = '{"prompt_tokens":270,"completion_tokens":200,"total_tokens":470}';
const whole = Buffer.from(
  `{"id":"chatcmpl-1","object":"chat.completion","created":1790000000,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":"${"A sentence of an answer. ".repeat(16)}"},"finish_reason":"stop"}],"usage":${usage}}`,
);
