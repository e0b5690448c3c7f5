// Every operation's samples in curl, as its page of the portal prints them, against a gateway that is started as a reader starts it: with its
// embedded database, its simulator, its shipped catalog and its demo key. The answers are held against the contract.
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, operations } from "../../generated/operations.ts";
import { toVersion32 } from "../../src/docs/contract.ts";
import { makeImage } from "../../src/simulator/made/image.ts";
import { recordingPath } from "../media/recordings.ts";
import { decodeMp3 } from "../simulator/audio-check.ts";
import { createChecker } from "../support/contract-checker.ts";
import { runEnvironment } from "../support/leftovers.ts";
import { type SpawnedGateway, spawnGateway } from "../support/spawned-gateway.ts";
import { svcPath } from "../support/svc-path.ts";
import { blocksIn } from "./guide-blocks.ts";
import { hasCurl } from "./guide-shell.ts";
import { makeReaderFolder } from "./reader-folder.ts";
import { runProcess } from "./run-block.ts";

/** Samples that can't succeed on a new gateway: what they are answered, and why. This list may only become shorter. */
const refused: Partial<Record<OperationId, [status: number, code: string, why: string]>> = {
  createTopup: [402, "payment_failed", "it takes no payments"],
  startCardSetup: [402, "payment_failed", "it takes no payments"],
  updateAutoTopup: [409, "card_missing", "it takes no payments"],
  getTopup: [404, "topup_not_found", "it takes no payments"],
  receivePaymentEvent: [400, "invalid_parameter", "the payment provider signs what it sends"],
  startSignIn: [400, "invalid_parameter", "no provider of sign-ins is set"],
  signInWithProvider: [400, "invalid_parameter", "no provider of sign-ins is set"],
  updateMember: [404, "member_not_found", "nobody was invited"],
  removeMember: [404, "member_not_found", "nobody was invited"],
  acceptInvitation: [400, "invalid_token", "nobody was invited"],
  leaveWorkspace: [403, "permission_denied", "nobody leaves the own workspace"],
  createSoundEffect: [404, "model_not_found", "paused in the shipped catalog"],
  cloneVoice: [404, "model_not_found", "paused in the shipped catalog"],
  designVoice: [404, "model_not_found", "paused in the shipped catalog"],
  confirmSession: [401, "invalid_credentials", "the demo account has no password"],
  confirmTotp: [409, "not_possible", "an authenticator app has to have the secret first"],
  deleteAccount: [409, "account_not_deletable", "the demo account is an operator's here"],
  cancelBatch: [409, "batch_ended", "its input file is empty"],
  cancelOperatorJob: [409, "not_possible", "the image has been made by then"],
  verifyDomain: [409, "domain_unverified", "nobody has published the record"],
  getResponse: [404, "response_not_found", "the workspace stores none"],
  deleteResponse: [404, "response_not_found", "the workspace stores none"],
  listResponseInputItems: [404, "response_not_found", "the workspace stores none"],
  createConversation: [400, "stateless_only", "the workspace stores none"],
  getConversation: [404, "conversation_not_found", "the workspace stores none"],
  updateConversation: [404, "conversation_not_found", "the workspace stores none"],
  deleteConversation: [404, "conversation_not_found", "the workspace stores none"],
  listConversationItems: [404, "conversation_not_found", "the workspace stores none"],
  createConversationItems: [404, "conversation_not_found", "the workspace stores none"],
  getConversationItem: [404, "conversation_not_found", "the workspace stores none"],
  deleteConversationItem: [404, "conversation_not_found", "the workspace stores none"],
  redeemVoucher: [404, "voucher_not_found", "the sample's is invented"],
  endSession: [404, "session_not_found", "the sample's is invented"],
  understandAudio: [404, "model_not_found", "retired"],
};

/** What has to come before others; whatever stands neither here nor among the last runs between them. */
const first: OperationId[] = [
  "signUp",
  "resendVerification",
  "verifyAccount",
  "signIn",
  "forgotPassword",
  "resetPassword",
  "createApiKey",
  "createChatCompletion",
  "createImage",
  "runGenmedia",
  "createSpeech",
  "createFile",
  "createBatch",
  "createWebhook",
  "claimDomain",
  "testWebhook",
  "createVouchers",
];
const last: OperationId[] = [
  "cancelBatch",
  "cancelOperatorJob",
  "endVoucher",
  "endVoucherBatch",
  "deleteFile",
  "deleteWebhook",
  "revokeInvitation",
  "removeDomain",
  "disableProvider",
  "enableProvider",
  "rollApiKey",
  "updateApiKey",
  "deleteApiKey",
  "applyCatalog",
  "revertCatalog",
  "updateOperatorSettings",
  "endOtherSessions",
  "signOut",
];
const between = (Object.keys(operations) as OperationId[]).filter((id) => !first.includes(id) && !last.includes(id));

interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** What the contract invents and a reader has to replace, and where they have it from. */
const placeholders: Partial<Record<OperationId, [invented: RegExp, real: () => string | Promise<string>]>> = {
  verifyAccount: [/(?<="code": ")\d{6}/, () => printed(/or by this code: (\d{6})/, 2)],
  resetPassword: [/(?<="token": ")\w+/, () => printed(/token=([\w-]+)/, 3)],
  updateApiKey: [/key_\w+/, () => fieldOfReply("createApiKey", "id")],
  rollApiKey: [/key_\w+/, () => fieldOfReply("createApiKey", "id")],
  getApiKeyUsage: [/key_\w+/, () => fieldOfReply("createApiKey", "id")],
  deleteApiKey: [/key_\w+/, () => fieldOfReply("createApiKey", "id")],
  resendInvitation: [/inv_\w+/, () => fieldOfReply("createInvitation", "id")],
  revokeInvitation: [/inv_\w+/, () => fieldOfReply("createInvitation", "id")],
  verifyDomain: [/dom_\w+/, () => fieldOfReply("claimDomain", "id")],
  updateDomain: [/dom_\w+/, () => fieldOfReply("claimDomain", "id")],
  removeDomain: [/dom_\w+/, () => fieldOfReply("claimDomain", "id")],
  getWebhook: [/whk_\w+/, () => fieldOfReply("createWebhook", "id")],
  updateWebhook: [/whk_\w+/, () => fieldOfReply("createWebhook", "id")],
  deleteWebhook: [/whk_\w+/, () => fieldOfReply("createWebhook", "id")],
  rollWebhookSecret: [/whk_\w+/, () => fieldOfReply("createWebhook", "id")],
  testWebhook: [/whk_\w+/, () => fieldOfReply("createWebhook", "id")],
  listWebhookDeliveries: [/whk_\w+/, () => fieldOfReply("createWebhook", "id")],
  replayWebhookDelivery: [
    /whk_\w+\/deliveries\/whd_\w+/,
    () => `${fieldOfReply("createWebhook", "id")}/deliveries/${fieldOfReply("testWebhook", "id")}`,
  ],
  getJob: [/job_\w+/, () => fieldOfReply("createImage", "id")],
  getGenmediaJob: [/gm_\w+/, () => fieldOfReply("runGenmedia", "request_id")],
  getReceipt: [/req_\w+/, () => replies.get("createChatCompletion")!.headers["x-request-id"]!],
  getStatement: [/2026-11/, () => new Date().toISOString().slice(0, 7)],
  getOperatorAccount: [/acc_\w+/, newestAccount],
  listAccountLedger: [/acc_\w+/, newestAccount],
  suspendAccount: [/acc_\w+/, newestAccount],
  setAccountTier: [/acc_\w+/, newestAccount],
  adjustAccount: [/acc_\w+/, newestAccount],
  refundCall: [/req_\w+/, () => replies.get("createChatCompletion")!.headers["x-request-id"]!],
  getOperatorCall: [/req_\w+/, () => replies.get("createChatCompletion")!.headers["x-request-id"]!],
  getOperatorJob: [/job_\w+/, () => fieldOfReply("createImage", "id")],
  cancelOperatorJob: [/job_\w+/, () => fieldOfReply("createImage", "id")],
  getVoucher: [/vou_\w+/, () => newVouchers().vouchers[0]!.id],
  endVoucher: [/vou_\w+/, () => newVouchers().vouchers[0]!.id],
  endVoucherBatch: [/(?<=voucher-batches\/)\d+/, () => String(newVouchers().batch)],
  setOperator: [/grace@example\.com/, newestAccount],
  removeOperator: [/grace@example\.com/, newestAccount],
  disableProvider: [/north/, () => "ranker"],
  enableProvider: [/north/, () => "ranker"],
  resumeAccount: [/acc_\w+/, newestAccount],
  createBatch: [/file-\w+/, () => fieldOfReply("createFile", "id")],
  getBatch: [/batch_\w+/, () => fieldOfReply("createBatch", "id")],
  cancelBatch: [/batch_\w+/, () => fieldOfReply("createBatch", "id")],
  getFile: [/file-\w+/, () => fieldOfReply("createFile", "id")],
  getFileContent: [/file-\w+/, () => fieldOfReply("createFile", "id")],
  deleteFile: [/file-\w+/, () => fieldOfReply("createFile", "id")],
  getReceiptProof: [/req_\w+/, () => replies.get("createChatCompletion")!.headers["x-request-id"]!],
};

const check = createChecker(
  toVersion32(JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8")) as object),
);
const reader = makeReaderFolder();
const folder = reader.path;
const replies = new Map<OperationId, Reply>();
let gateway: SpawnedGateway;
let environment: Record<string, string>;
beforeAll(async () => {
  const dataFolder = join(folder, ".svc");
  gateway = await spawnGateway({ SVC_DATA_DIR: dataFolder, SVC_OPERATORS: "demo@localhost" });
  const key = /^Demo key .*: (svc_\w+)$/m.exec(gateway.output())![1]!;
  const opened = execFileSync(process.execPath, [svcPath, "session", "create", "demo@localhost", "--json"], {
    env: { ...runEnvironment(), SVC_DATA_DIR: dataFolder },
    encoding: "utf8",
  });
  const { session_token: session } = JSON.parse(opened) as { session_token: string };
  environment = { ...runEnvironment(), HOME: folder, SVC_URL: gateway.url, SVC_KEY: key, SVC_SESSION: session };
  for (const name of ["meeting.mp3", "narrator.wav", "call.mp3", "rede.mp3"])
    copyFileSync(recordingPath(name.endsWith("wav") ? "tone.wav" : "tone.mp3"), join(folder, name));
  writeFileSync(join(folder, "requests.jsonl"), "");
  writeFileSync(join(folder, "harbour.png"), makeImage("png", 64, 64, "harbour").bytes);
  // What curl shows besides the body; the samples themselves stay as they are.
  writeFileSync(join(folder, ".curlrc"), 'silent\nshow-error\ndump-header = "headers.txt"\n');
});
afterAll(async () => {
  await gateway.kill("SIGTERM");
  reader.remove();
});

describe.skipIf(!hasCurl)("curl", () => {
  test.each([...first, ...between, ...last])("%s", async (id) => {
    for (const sample of await samplesOf(id)) {
      const reply = await run(sample);
      replies.set(id, reply);
      const bodyText = reply.headers["content-type"]?.startsWith("audio/") ? undefined : reply.body.toString();
      expect({ bodyText, faults: check(id, { ...reply, bodyText }) }).toEqual({ bodyText, faults: [] });
      const [status, code] = refused[id] ?? [];
      if (status === undefined) expect([operations[id].successes, bodyText]).toEqual([expect.arrayContaining([reply.status]), bodyText]);
      else expect([reply.status, bodyText]).toEqual([status, expect.stringContaining(`"${code!}"`)]);
    }
  });

  test("createSpeech: what it has saved plays", async () => {
    const { sampleRate, seconds } = await decodeMp3(readFileSync(join(folder, "speech.mp3")));
    expect(sampleRate).toBe(44_100);
    expect(seconds).toBeGreaterThan(1);
  });
});

/** As the page prints them, with what is real in the place of what is invented. */
async function samplesOf(id: OperationId): Promise<string[]> {
  const page = await fetch(`${gateway.url}/docs/api/${id}.md`);
  const codes = blocksIn(await page.text(), id).flatMap(({ language, code }) => (language === "sh" ? [code] : []));
  expect(codes).not.toEqual([]);
  const [invented, real] = placeholders[id] ?? [];
  if (invented === undefined) return codes;
  for (const code of codes) expect(code).toMatch(invented);
  const inserted = await real!();
  return codes.map((code) => code.replace(invented, inserted));
}

async function run(code: string): Promise<Reply> {
  const output = await runProcess("bash", ["-e"], code, { folder, environment });
  const file = / -o (\S+)/.exec(code)?.[1];
  const head = readFileSync(join(folder, "headers.txt"), "utf8");
  const headers = [...head.matchAll(/^([\w-]+): (.*?)\r?$/gm)].map(([, name, value]) => [name!.toLowerCase(), value!] as const);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)![1]),
    headers: Object.fromEntries(headers),
    body: file === undefined ? Buffer.from(output) : readFileSync(join(folder, file)),
  };
}

/** Of the so manieth mail in the gateway's output, where a new one has its mails, once it is there. */
async function printed(pattern: RegExp, count: number): Promise<string> {
  const all = () => [...gateway.output().matchAll(new RegExp(pattern, "g"))].map((match) => match[1]!);
  await expect.poll(() => all().length).toBe(count);
  return all().at(-1)!;
}

/** The one that signUp made. */
async function newestAccount(): Promise<string> {
  const headers = { authorization: `Bearer ${environment.SVC_SESSION!}` };
  const reply = await fetch(`${gateway.url}/v1/operator/accounts?limit=1`, { headers });
  return ((await reply.json()) as { last_id: string }).last_id;
}

function newVouchers() {
  return JSON.parse(replies.get("createVouchers")!.body.toString()) as { batch: number; vouchers: { id: string }[] };
}

function fieldOfReply(id: OperationId, field: string): string {
  return (JSON.parse(replies.get(id)!.body.toString()) as Record<string, string>)[field]!;
}
