// GET /v1/usage/{request_id}/proof, the keys that sign it, and its check offline: every kind of charge, every tampering, rotation, replicas.
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { compactVerify, createLocalJWKSet, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { OperationId } from "../../../generated/operations.ts";
import { openReceiptKeys } from "../../../src/ledger/receipt-keys.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { verifyReceipt } from "../../../src/sdk/verify-receipt.ts";
import { callSvc } from "../../cli/run-svc.ts";
import { schema } from "../../contract/read-contract.ts";
import { startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { hello } from "../chat/chat-gateway.ts";
import { bodyOf, quoteWorld } from "../quotes/quote-world.ts";

const secret = "a-long-secret-that-only-the-operator-has";
const world = quoteWorld({ env: { SVC_RECEIPT_SECRET: secret } });
const quotable = schema("QuotedOperation").enum as OperationId[];
const chat = { model: "demo/chat", messages: hello, max_tokens: 5 };

const keys = async (url = world.gateway.url): Promise<any> => (await fetch(`${url}/.well-known/jwks.json`)).json();
const proofOf = async ({ key }: Pick<TestAccount, "key">, reply: TestReply, query = ""): Promise<any> => {
  await world.receiptOf({ key }, reply);
  const { status, json } = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}/proof${query}`, { key });
  expect(status).toBe(200);
  return json;
};
const deposit = (account: TestAccount) =>
  postEntry(world.gateway.context.db, { accountId: account.accountId, kind: "deposit", amount: 100n, ref: "later", at: new Date() });
const payloadOf = (jws: string) => JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString());

describe("200", () => {
  test.each(quotable)("%s: the proof holds, with the chain to its head", async (operation) => {
    const account = await world.account();
    const reply = await world.call(account, operation, bodyOf(world, operation));
    const proof = await proofOf(account, reply, "?chain=true");
    const receipt = await world.receiptOf(account, reply);
    expect(proof.receipt).toEqual(receipt);
    const found = await verifyReceipt(proof, await keys());
    expect(found).toMatchObject({
      ...{ issuer: world.gateway.url, accountId: account.id, requestId: receipt.request_id, costUsd: receipt.charge.cost_usd },
      ...{ head: proof.chain_head, chainedTo: proof.chain_head.id },
    });
    const verified = await compactVerify(proof.jws, createLocalJWKSet(await keys())); // by another implementation
    expect(verified.protectedHeader).toMatchObject({ alg: "EdDSA", kid: found.keyId });
    world.gateway.simulator.reset();
  });

  test("entries that came later are in the chain, and the head is the last of them", async () => {
    const account = await world.account();
    const reply = await world.call(account, "createChatCompletion", chat);
    await world.call(account, "createChatCompletion", chat);
    await deposit(account);
    const proof = await proofOf(account, reply, "?chain=true");
    expect(proof.chain.texts).toHaveLength(3);
    expect(await verifyReceipt(proof, await keys())).toMatchObject({ head: { id: "led_4" }, chainedTo: "led_4" });
    expect(await verifyReceipt(await proofOf(account, reply), await keys())).toMatchObject({ head: { id: "led_4" }, chainedTo: null });
  });

  test("a call that failed proves a charge of 0", async () => {
    const account = await world.account();
    const reply = await world.call(account, "createChatCompletion", { ...chat, model: "demo/down" });
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(await verifyReceipt(await proofOf(account, reply, "?chain=true"), await keys())).toMatchObject({ costUsd: 0, chainedTo: null });
  });

  test("the keys are public and may be cached, without the private half", async () => {
    const reply = await fetch(`${world.gateway.url}/.well-known/jwks.json`);
    expect([reply.status, reply.headers.get("cache-control"), reply.headers.get("content-type")]).toEqual([
      ...[200, "public, max-age=300", "application/jwk-set+json"],
    ]);
    const { keys: found } = (await reply.json()) as { keys: object[] };
    for (const key of found) expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
  });
});

test("404 request_not_found: an unknown id, and another account's", async () => {
  const account = await world.account();
  const other = await world.account();
  const theirs = (await world.call(other, "createEmbeddings", bodyOf(world, "createEmbeddings"))).headers["x-request-id"]!;
  for (const id of [theirs, "req_unknown"]) {
    const { status, json } = await world.gateway.request("GET", `/v1/usage/${id}/proof`, { key: account.key });
    expect([status, json.error.code]).toEqual([404, "request_not_found"]);
  }
});

describe("a proof that was changed does not hold, and says where", () => {
  const fresh = async () => {
    const account = await world.account();
    const reply = await world.call(account, "createMessage", bodyOf(world, "createMessage"));
    await deposit(account);
    return proofOf(account, reply, "?chain=true");
  };
  const reason = async (proof: any, set?: any) =>
    verifyReceipt(proof, set ?? (await keys())).then(
      () => "it holds",
      (error: Error) => error.message,
    );

  test("every value of what is shown, one by one", async () => {
    const proof = await fresh();
    const places: { holder: any; key: string }[] = [];
    const visit = (holder: any) => {
      for (const key of Object.keys(holder)) {
        if (typeof holder[key] === "object" && holder[key] !== null) visit(holder[key]);
        else places.push({ holder, key });
      }
    };
    visit(proof.receipt);
    visit(proof.chain_head);
    expect(places.length).toBeGreaterThan(50);
    for (const { holder, key } of places) {
      const before = holder[key];
      holder[key] = typeof before === "number" ? before + 1 : `${before}x`;
      expect(await reason(proof)).toMatch(new RegExp(`^(receipt|chain_head)\\..*${key}.* is .*, and what was signed says`));
      holder[key] = before;
    }
    expect(await reason(proof)).toBe("it holds");
  });

  test("every byte of the signed payload, some of them", async () => {
    const proof = await fresh();
    const [header, payload, signature] = proof.jws.split(".");
    for (let at = 3; at < payload.length; at += 97) {
      const other = payload[at] === "A" ? "B" : "A";
      const jws = [header, payload.slice(0, at) + other + payload.slice(at + 1), signature].join(".");
      expect(await reason({ jws })).toMatch(/^The signature is not that of the key/);
    }
  });

  test("another key, another algorithm, a key under our name", async () => {
    const proof = await fresh();
    const { privateKey } = await generateKeyPair("EdDSA");
    const [{ kid }] = (await keys()).keys;
    const forge = (header: any) => new SignJWT(payloadOf(proof.jws)).setProtectedHeader(header).sign(privateKey);
    expect(await reason({ jws: await forge({ alg: "EdDSA", kid: "mine" }) })).toMatch(/^The key mine, .* is not among the given keys/);
    expect(await reason({ jws: await forge({ alg: "EdDSA", kid }) })).toMatch(/^The signature is not that/);
    const none = Buffer.from(JSON.stringify({ alg: "none", kid })).toString("base64url");
    expect(await reason({ jws: `${none}.${proof.jws.split(".")[1]}.` })).toMatch(/signed with none/);
    expect(await reason({ jws: "abc" })).toMatch(/not a compact JWS/);
  });

  test("an entry of the chain changed, removed, added", async () => {
    const proof = await fresh();
    const { texts } = proof.chain;
    const chained = (changed: string[]) => reason({ ...proof, chain: { texts: changed, complete: true } });
    expect(await chained([texts[0], texts[1].replace("later", "other")])).toMatch(/not to the head that was signed/);
    expect(await chained([texts[0]])).toMatch(/not to the head that was signed/);
    expect(await chained([texts[1]])).toMatch(/^The chain lacks led_2/);
    expect(await chained([texts[0].replace("\n", "\n0"), texts[1]])).toMatch(/lacks|another hash/);
    expect(await chained([])).toMatch(/^The chain ends before led_2/);
  });

  // What a dishonest operator could sign: the key is right, the content is not.
  test.each([
    ["a line's amount", (p: any) => (p.receipt.charge.lines[0].amount_usd = "1"), /^The line input says 1 USD/],
    ["the sum", (p: any) => (p.receipt.charge.sum_usd = "1"), /^The lines do not add up/],
    ["the rounding", (p: any) => (p.receipt.charge.rounded_usd += 1), /rounded up is not/],
    ["the cost", (p: any) => (p.receipt.charge.cost_usd += 1), /were charged, and the receipt adds up/],
    ["the log", (p: any) => (p.receipt.log.cost_usd += 1), /^The log says/],
    ["an entry's amount", (p: any) => (p.receipt.ledger[0].amount_usd -= 1), /amount of led_2/],
    ["an entry's balance", (p: any) => (p.receipt.ledger[0].balance_after -= 1), /balance after led_2/],
    ["an entry's hash", (p: any) => (p.receipt.ledger[0].hash = "0".repeat(64)), /^The hash of led_2/],
    ["an entry's text", (p: any) => (p.links[0].text += "0"), /^The hash of led_2/],
    ["no entry", (p: any) => ((p.receipt.ledger = []), (p.links = [])), /do not charge/],
    ["an entry without its text", (p: any) => (p.links = []), /^Not every ledger entry/],
    ["another account", (p: any) => (p.account_id = "acc_999"), /another account/],
    ["a head before the entry", (p: any) => (p.chain_head.id = "led_1"), /after the chain's head/],
  ])("signed anyway: %s", async (_, change, sentence) => {
    const payload = payloadOf((await fresh()).jws);
    change(payload);
    const jws = await world.gateway.context.receiptKeys.sign(payload);
    expect(await reason({ jws })).toMatch(sentence);
  });
});

describe("keys", () => {
  test("a rotation signs with a new key; the old one's receipts still hold, its private half is gone", async () => {
    const account = await world.account();
    const reply = await world.call(account, "createMessage", bodyOf(world, "createMessage"));
    const old = await proofOf(account, reply);
    const env = { DATABASE_URL: world.gateway.databaseUrl, SVC_RECEIPT_SECRET: secret };
    const rotated = (await callSvc(env, ["receipt", "rotate", "--json"])).json();
    const young = await proofOf(account, reply);
    const set = await keys();
    expect((await verifyReceipt(young, set)).keyId).toBe(rotated["kid"]);
    expect((await verifyReceipt(old, set)).keyId).not.toBe(rotated["kid"]);
    const listed = (await callSvc(env, ["receipt", "keys", "--json"])).json() as any;
    expect(listed.keys[0]).toMatchObject({ kid: rotated["kid"], replaced_at: null, encrypted: true });
    const { rows } = await world.gateway.context.db.pool.query("select private_key from receipt_key order by replaced_at nulls first");
    expect(rows.slice(1).every(({ private_key }) => private_key === null)).toBe(true);
    expect(rows[0].private_key).toMatch(/^ey[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/); // a JWE: no member of a JWK can be read
  });

  test("replicas that begin at once sign with one key", async () => {
    const { db } = world.gateway.context;
    await db.pool.query("delete from receipt_key");
    const replicas = Array.from({ length: 6 }, () => openReceiptKeys(db, secret));
    const signed = await Promise.all(replicas.map((replica) => replica.sign({ a: 1 })));
    expect((await keys()).keys).toHaveLength(1);
    expect(new Set(signed.map((jws) => jws.split(".")[0])).size).toBe(1);
  });

  test("a second gateway on the same database signs what the first one's keys prove", async () => {
    const account = await world.account();
    const reply = await world.call(account, "createMessage", bodyOf(world, "createMessage"));
    await world.receiptOf(account, reply);
    const second = await startGateway({ databaseUrl: world.gateway.databaseUrl, env: { SVC_RECEIPT_SECRET: secret } });
    try {
      const { json } = await second.request("GET", `/v1/usage/${reply.headers["x-request-id"]}/proof`, { key: account.key });
      expect(await verifyReceipt(json, await keys())).toMatchObject({ requestId: reply.headers["x-request-id"] });
    } finally {
      await second.stop();
    }
  });

  test.each([
    ["none", null, /SVC_RECEIPT_SECRET is not set/],
    ["another", "another-secret-of-enough-characters-here", /is not the one under which/],
  ])("with %s secret an encrypted key signs nothing", async (_, other, sentence) => {
    const { db } = world.gateway.context;
    await openReceiptKeys(db, secret).sign({});
    await expect(openReceiptKeys(db, other).sign({})).rejects.toThrow(sentence);
  });
});

describe("svc receipt verify", () => {
  test("a file that holds, by a file of keys or their address; one that does not: exit status 1", async () => {
    const account = await world.account();
    const proof = await proofOf(account, await world.call(account, "createMessage", bodyOf(world, "createMessage")), "?chain=true");
    const folder = scratchFolder("receipts");
    const [file, set, wrong] = ["proof.json", "jwks.json", "wrong.json"].map((name) => join(folder, name)) as [string, string, string];
    await writeFile(file, JSON.stringify(proof));
    await writeFile(set, JSON.stringify(await keys()));
    await writeFile(wrong, JSON.stringify({ ...proof, receipt: { ...proof.receipt, request_id: "req_other" } }));
    for (const jwks of [set, `${world.gateway.url}/.well-known/jwks.json`]) {
      const ran = await callSvc({}, ["receipt", "verify", file, "--jwks", jwks]);
      expect([ran.status, ran.stderr]).toEqual([0, ""]);
      expect(ran.stdout).toContain(`the chain leads to ${proof.chain_head.id}, the head that was signed`);
    }
    const ran = await callSvc({}, ["receipt", "verify", wrong, "--jwks", set, "--json"]);
    expect([ran.status, ran.json()["reason"]]).toEqual([1, expect.stringMatching(/^receipt\.request_id is "req_other"/)]);
    expect((await callSvc({}, ["receipt", "verify", join(folder, "none"), "--jwks", set])).stderr).toContain("can't be read");
  });
});
