// Callers who disconnect from a call of several parts: questions that were not sent yet are neither sent nor charged, and a stream of several
// choices is read on until all of them have ended (docs/behaviour/streams.md#disconnects).
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { decisions, parcel, questionsOf } from "../../operations/decisions/decisions.ts";
import { type HostileHost, startHostileHost } from "../hostile-host.ts";

let gateway: Gateway;
let host: HostileHost;
beforeAll(async () => {
  host = await startHostileHost();
  const provider = (id: string, more = {}) => ({ id, protocol: "openai", base_url: `${host.url}/v1`, ...more });
  const choices = { id: "demo/choices", type: "language", context_window: 8_000, max_output_tokens: 100 };
  const models = [
    decisions([{ provider: "host", model: "decide" }]),
    { ...choices, pricing: { mode: "per-token", input: 1, output: 2 }, routes: [{ provider: "host", model: "choices" }] },
  ];
  gateway = await startGateway({ catalog: JSON.stringify({ providers: [provider("host")], models, tiers: highTiers() }) });
});
afterEach(() => void (host.asked.length = 0));
afterAll(async () => {
  await eventually(async () => expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] }));
  await gateway.stop();
  await host.stop();
});

function ask(account: TestAccount, path: string, body: object) {
  const client = new AbortController();
  const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" };
  const reply = fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body), signal: client.signal });
  reply.catch(() => undefined);
  return { reply, leave: () => client.abort() };
}

async function rowOf(account: TestAccount) {
  return await eventually(async () => {
    const { rows } = await gateway.context.db.pool.query<Record<string, any>>("select * from usage_log where account_id = $1", [
      account.accountId,
    ]);
    expect(rows).toHaveLength(1);
    return rows[0]!;
  });
}

describe("decisions", () => {
  const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 };
  const yes = { token: "A", logprob: -0.1, top_logprobs: [{ token: "A", logprob: -0.1 }, { token: "B", logprob: -3 }] }; // prettier-ignore
  const answer = (measured: boolean) => ({
    ...{ id: "c", object: "chat.completion", created: 1, model: "decide", ...(measured ? { usage } : {}) },
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "A" }, logprobs: { content: [yes] } }],
  });

  test.each([true, false])(
    "the sixteen questions that were sent are charged, the others never sent; usage reported: %s",
    async (measured) => {
      const held: (() => void)[] = [];
      host.answers.set("decide", (response) => {
        held.push(() => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer(measured))));
      });
      const account = await gateway.createAccount({ deposit: "5" });
      const call = ask(account, "/v1/decisions", { ...parcel, questions: questionsOf(40) });
      await eventually(() => expect(held).toHaveLength(16));
      call.leave();
      await eventually(async () => expect((await gateway.request("GET", "/metrics")).text).toMatch(/^svc_abandoned_requests 1$/m));
      for (const go of held) go();
      const row = await rowOf(account);
      expect(host.asked).toHaveLength(16);
      expect(row).toMatchObject({ status: "aborted", http_status: 499, estimated: !measured });
      expect(row["attempts"]).toMatchObject([{ outcome: "aborted", requests: 16 }]);
      if (measured) expect(row["input_tokens"]).toBe(1_600n);
      else {
        // As the same sixteen questions cost where nobody disconnects.
        const other = await gateway.createAccount({ deposit: "5" });
        host.answers.set("decide", (response) =>
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer(false))),
        );
        const whole = ask(other, "/v1/decisions", { ...parcel, questions: questionsOf(16) });
        expect((await whole.reply).status).toBe(200);
        expect(row["input_tokens"]).toBe((await rowOf(other))["input_tokens"]);
      }
    },
  );
});

describe("several choices", () => {
  test("one that ends long before the next one begins doesn't end the reading: the usage of both is paid", async () => {
    const chunk = (more: object) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "choices", ...more })}\n\n`;
    const choice = (index: number, content: string) =>
      chunk({ choices: [{ index, delta: { role: "assistant", content }, finish_reason: null }] }) +
      chunk({ choices: [{ index, delta: {}, finish_reason: "stop" }] });
    let goOn = (): void => undefined;
    let isCut = false;
    host.answers.set("choices", (response) => {
      response.on("close", () => (isCut ||= !response.writableFinished));
      response.writeHead(200, { "content-type": "text/event-stream" }).write(choice(0, "One answer"));
      goOn = () => {
        const usage = { prompt_tokens: 7, completion_tokens: 60, total_tokens: 67 };
        response.end(`${choice(1, "Another")}${chunk({ choices: [], usage })}data: [DONE]\n\n`);
      };
    });
    const account = await gateway.createAccount({ deposit: "5" });
    const body = { model: "demo/choices", n: 2, stream: true, max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };
    const call = ask(account, "/v1/chat/completions", body);
    const reader = (await call.reply).body!.getReader();
    let text = "";
    while (!text.includes('"finish_reason":"stop"')) text += new TextDecoder().decode((await reader.read()).value);
    call.leave();
    // Longer than a finished answer is read on for its usage.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    expect(isCut).toBe(false);
    goOn();
    expect(await rowOf(account)).toMatchObject({
      status: "aborted",
      estimated: false,
      input_tokens: 7n,
      output_tokens: 60n,
      cost: 7n * 100n + 60n * 200n,
    });
  });
});

describe("a prediction, of which a provider bills what its answer leaves out", () => {
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "choices", ...more })}\n\n`;
  const prediction = { type: "content", content: "const answer = 1;\n".repeat(30) };
  const body = { model: "demo/choices", stream: true, max_tokens: 90, prediction, messages: [{ role: "user", content: "Hello" }] };
  const leaveAtFirstWord = async (account: TestAccount) => {
    const call = ask(account, "/v1/chat/completions", body);
    const reader = (await call.reply).body!.getReader();
    for (let text = ""; !text.includes('"Hi"');) text += new TextDecoder().decode((await reader.read()).value);
    call.leave();
    await eventually(async () => expect((await gateway.request("GET", "/metrics")).text).toMatch(/^svc_abandoned_requests 1$/m));
  };
  const answerWith = (end: string): (() => void) => {
    let goOn = (): void => undefined;
    host.answers.set("choices", (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }] }));
      goOn = () => response.end(`${chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}${end}data: [DONE]\n\n`);
    });
    return () => goOn();
  };

  test("its client disconnects after a word: read to its end, the measured usage is paid", async () => {
    const goOn = answerWith(chunk({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 80, total_tokens: 87 } }));
    const account = await gateway.createAccount({ deposit: "5" });
    await leaveAtFirstWord(account);
    goOn();
    expect(await rowOf(account)).toMatchObject({ status: "aborted", estimated: false, output_tokens: 80n, cost: 7n * 100n + 80n * 200n });
  });

  test("of a host that says no usage the output counts as the cap", async () => {
    const goOn = answerWith("");
    const account = await gateway.createAccount({ deposit: "5" });
    await leaveAtFirstWord(account);
    goOn();
    expect(await rowOf(account)).toMatchObject({ status: "aborted", estimated: true, output_tokens: 90n });
  });
});
