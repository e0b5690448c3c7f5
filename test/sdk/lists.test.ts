// Lists read row by row over their pages, accounts with a session, and how a request is put together.
import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type LedgerEntry, Svc, SvcError } from "../../generated/sdk/index.js";
import { chatWorld, language } from "../operations/chat/chat-gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { refusal, withAnswers } from "./answers-server.ts";

const world = chatWorld([language("demo/chat", ["chat"]), language("demo/other", ["other"])], { tiers: highTiers() });
const messages = [{ role: "user" as const, content: "Hello" }];

async function caller() {
  const account = await world.account();
  const { token } = await world.gateway.createSession(account);
  return { account, svc: new Svc({ apiKey: account.key, sessionToken: token, baseURL: `${world.gateway.url}/v1/` }) };
}

describe("rows", () => {
  test("of all pages come one after the other; awaited it is the first page", async () => {
    const { svc } = await caller();
    const ids = [];
    for (let call = 0; call < 5; call += 1) {
      const { requestId } = await svc.chat.completions.create({ model: "demo/chat", messages }).withResponse();
      ids.unshift(requestId);
    }
    await expect.poll(async () => (await svc.usage.logs()).data.length).toBe(5);
    const seen = [];
    for await (const row of svc.usage.logs({ limit: 2 })) seen.push(row.request_id);
    expect(seen).toEqual(ids);
    expect(await svc.usage.logs({ limit: 2 })).toMatchObject({ object: "list", has_more: true, data: [{}, {}] });
    const receipt = await svc.usage.receipt(ids[0]!);
    expect(receipt).toMatchObject({ request_id: ids[0] });
  });

  test("of the ledger, of jobs, keys and models too, each of its type", async () => {
    const { svc } = await caller();
    for await (const entry of svc.credits.ledger({ limit: 1 })) {
      expectTypeOf(entry).toEqualTypeOf<LedgerEntry>();
      expect(entry.type).toBe("purchase");
    }
    for await (const _ of svc.jobs.list()) throw new Error("no job was made");
    const models = [];
    for await (const row of svc.models.list({ type: ["language"] })) models.push(row.id);
    expect(models.sort()).toEqual(["demo/chat", "demo/other"]);
    expect((await svc.models.get("demo/chat")).id).toBe("demo/chat");
  });

  test("that can't be read throw in the loop, and a page is asked for when it is needed", async () => {
    const page = (id: string, more: boolean) =>
      [200, {}, { object: "list", data: [{ id }], has_more: more, last_id: id }] as [number, object, object];
    const answers = [page("a", true), page("b", true), refusal(401, "invalid_api_key")] as never;
    await withAnswers(answers, async (svc, server) => {
      const seen: string[] = [];
      const reading = (async () => {
        for await (const job of svc.jobs.list({ status: ["succeeded", "failed"] })) {
          seen.push(job.id);
          expect(server.received.length).toBe(seen.length);
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: "invalid_api_key" });
      expect(seen).toEqual(["a", "b"]);
      expect(server.received[1]!.url).toBe("/v1/jobs?status=succeeded%2Cfailed&after=a");
    });
  });
});

test("a page that leads to itself is the last", async () => {
  const page = [200, {}, { object: "list", data: [{ id: "a" }], has_more: true, last_id: "a" }] as [number, object, object];
  await withAnswers([page] as never, async (svc, server) => {
    const seen = [];
    for await (const job of svc.jobs.list()) seen.push(job.id);
    expect(seen).toEqual(["a"]);
    expect(server.received.length).toBe(2);
  });
});

describe("an account", () => {
  test("is changed with the session, read with the key; the key alone is told so", async () => {
    const { svc, account } = await caller();
    const made = await svc.keys.create({ name: "ci" });
    expect(made.api_key).toMatch(/^svc_/);
    const names = [];
    for await (const key of svc.keys.list()) names.push(key.name);
    expect(names).toContain("ci");
    await svc.keys.update(made.api_key, { enabled: false });
    await svc.keys.delete(made.api_key);
    const alone = new Svc({ apiKey: account.key, baseURL: world.gateway.url });
    const result = await alone.keys.create({ name: "x" }).result();
    expect(result).toMatchObject({ ok: false, error: { status: 403, code: "session_required" } });
    expect((await svc.credits.balance()).balance).toBe(20);
    expect(await svc.auth.signOut()).toBeUndefined();
  });

  test("a session's token may be the key", async () => {
    const account = await world.account();
    const { token } = await world.gateway.createSession(account);
    const svc = new Svc({ apiKey: () => Promise.resolve(token), baseURL: world.gateway.url });
    expect(await svc.auth.getSession()).toHaveProperty("user.email", account.email);
    expect((await new Svc({ sessionToken: token, baseURL: world.gateway.url }).credits.balance()).balance).toBe(20);
  });
});

describe("a request", () => {
  test("goes without a key where none is needed, and an id stays in its place", async () => {
    await withAnswers([[200, {}, {}]], async (svc, server) => {
      await svc.models.list();
      await svc.models.get("a/b?c");
      await svc.jobs.get("j/../x", {}, { headers: { "X-Own": "1" } });
      expect(server.received.map(({ url }) => url)).toEqual(["/v1/models", "/v1/models/a%2Fb%3Fc", "/v1/jobs/j%2F..%2Fx"]);
      expect(server.received.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, "Bearer svc_test"]);
      expect(server.received[2]!.headers["x-own"]).toBe("1");
      for (const id of ["", ".", ".."]) await expect(svc.jobs.get(id)).rejects.toBeInstanceOf(TypeError);
    });
  });

  test("has its address and key from the environment where nothing is said; without an address there is no client", async () => {
    await withAnswers([[200, {}, {}]], async (_, server) => {
      Object.assign(process.env, { SVC_URL: server.url, SVC_KEY: "svc_env" });
      try {
        await new Svc().credits.balance();
        expect(server.received[0]!.headers.authorization).toBe("Bearer svc_env");
      } finally {
        delete process.env.SVC_URL;
        delete process.env.SVC_KEY;
      }
      expect(() => new Svc()).toThrow(TypeError);
    });
  });

  test("is made by a client that shows no secret when it is printed", () => {
    const svc = new Svc({ apiKey: "svc_secret", sessionToken: "svcs_secret", baseURL: "http://h" });
    expect(inspect(svc, { depth: 9, showHidden: true }) + JSON.stringify(svc)).not.toContain("secret");
  });

  test("that something else answers with 200 is unexpected_answer, whatever was asked for, and is not left open", async () => {
    const page = (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.write("<h1>Sign in to the hotel's network</h1>");
    };
    await withAnswers([page], async (svc, server) => {
      const body = { model: "m", messages };
      const calls = [
        () => svc.chat.completions.create(body),
        () => svc.chat.completions.create({ ...body, stream: true }),
        () => svc.audio.speech.create({ input: "x" }),
        () => svc.audio.transcriptions.create({ file: new Blob(["x"]), response_format: "text" }),
        () => svc.models.list(),
      ];
      for (const call of calls)
        expect(await (call().result() as Promise<unknown>)).toMatchObject({
          ok: false,
          error: { code: "unexpected_answer", status: null, httpStatus: 200, retryable: false },
        });
      expect(server.received.length).toBe(calls.length);
      await expect.poll(() => server.left).toBe(calls.length);
    });
  });

  test("that fails where only its result was asked for is nobody's unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    await withAnswers([refusal(401, "invalid_api_key")], async (svc) => {
      expect((await svc.credits.balance().result()).ok).toBe(false);
      await svc.credits
        .balance()
        .withResponse()
        .catch((error: unknown) => expect(SvcError.is(error, "invalid_api_key")).toBe(true));
      await expect(async () => {
        for await (const _ of svc.jobs.list());
      }).rejects.toThrow();
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});
