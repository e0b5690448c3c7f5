// The generator and the contract as a whole: what holds for every operation and every code. Single endpoints are tested beside this.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { dialects, type ErrorCode, errors } from "../../generated/errors.ts";
import { type Operation, operations } from "../../generated/operations.ts";
import { bodies, parameters } from "../../generated/validators.js";
import { operation, reachable, resolved, type Schema, schema, validatorOf } from "./read-contract.ts";
import { oneInThree } from "../support/size.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const all = Object.values(operations);
const ids = all.map(({ id }) => id);

/** The working names of the 52 operations: SDK, tests and documentation rest on them. */
const promised = `createChatCompletion createMessage countMessageTokens createCompletion createEmbeddings createRerank createDecision
  createSystemOneDecision createImage createImageEdit createImageVariation getJob listJobs runGenmedia getGenmediaJob createVideo createTranscription createTranslation understandAudio createSpeech
  createMusic createSoundEffect listVoices cloneVoice designVoice listModels getModel recommendModels getPricing listPriceChanges getLegacyPricing listTiers
  getCreditBalance createTopup getTopup listLedgerEntries receivePaymentEvent signUp verifyAccount resendVerification signIn
  signInWithProvider getSession signOut forgotPassword resetPassword createApiKey listApiKeys updateApiKey deleteApiKey getLimits
  listUsageLogs getReceipt startSignIn createResponse countResponseTokens compactResponse getResponse deleteResponse listResponseInputItems
  createConversation getConversation updateConversation deleteConversation listConversationItems createConversationItems getConversationItem deleteConversationItem listErrors
  createQuote getReceiptProof getUsageSummary rollApiKey getApiKeyUsage
  listWorkspaces createWorkspace getWorkspace updateWorkspace listMembers updateMember removeMember leaveWorkspace
  createInvitation listInvitations resendInvitation revokeInvitation acceptInvitation
  listDomains claimDomain verifyDomain updateDomain removeDomain
  getNotices updateNotices listNotices listWebhooks createWebhook getWebhook updateWebhook deleteWebhook rollWebhookSecret listWebhookDeliveries
  testWebhook replayWebhookDelivery
  confirmSession getOperator listOperatorActions listOperatorAccounts getOperatorAccount listAccountLedger suspendAccount resumeAccount setAccountTier getOperatorOverview
  exportAccount deleteAccount redeemVoucher listCreditGrants listStatements getStatement listSessions endSession endOtherSessions
  adjustAccount refundCall listOperatorCalls getOperatorCall listOperators setOperator removeOperator
  listProviders disableProvider enableProvider getTotp beginTotp confirmTotp deleteTotp
  listOperatorJobs getOperatorJob cancelOperatorJob listOperatorSettings updateOperatorSettings getOperatorUsageSummary getOperatorCatalog checkCatalog compareCatalog listCatalogVersions applyCatalog revertCatalog createAccount getOperatorLedger startLedgerAudit
  createVouchers listVouchers getVoucher endVoucher endVoucherBatch
  createBatch listBatches getBatch cancelBatch createFile listFiles getFile getFileContent deleteFile purgeResponseCache
  getAuthOptions getAutoTopup updateAutoTopup startCardSetup removeCard`
  .trim()
  .split(/\s+/);

describe("generated files", () => {
  oneInThree()(
    "are what the spec says now, wherever the checkout stands",
    () => {
      const copy = mkdtempSync(join(tmpdir(), "svc-generate-"));
      try {
        cpSync(join(root, "spec"), join(copy, "spec"), { recursive: true });
        for (const file of ["src/sdk", "src/json/parse.ts", "src/docs/contract.ts"])
          cpSync(join(root, file), join(copy, file), { recursive: true });
        cpSync(join(root, "package.json"), join(copy, "package.json"));
        symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
        execFileSync(process.execPath, [join(copy, "spec/generate.ts")], { cwd: tmpdir(), stdio: "pipe" });
        const made = readdirSync(join(copy, "generated"), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => relative(join(copy, "generated"), join(entry.parentPath, entry.name)));
        expect(made.length).toBeGreaterThan(6);
        const stale = made.filter(
          (name) => !readFileSync(join(copy, "generated", name)).equals(readFileSync(join(root, "generated", name))),
        );
        expect(stale, "run npm run generate").toEqual([]);
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    },
    600_000,
  ); // it compiles the whole spec: minutes on a busy machine

  test("can be read in a diff: validators have the contract's names, no numbers, and lines that end", () => {
    const text = readFileSync(join(root, "generated/validators.js"), "utf8");
    expect(text).toContain("function validate_MusicRequest(");
    expect(text).toContain("const schema_MusicRequest = {");
    expect(text.match(/\b(?:validate|schema|pattern|formats|func)\d+\b/g)).toBeNull();
    expect(text.split("\n").filter((line) => line.length > 2000)).toEqual([]);
  });

  test("describe exactly the operations that were promised", () => {
    expect([...ids].sort()).toEqual([...promised].sort());
  });

  test("have a validator for every JSON body and for all parameters", () => {
    for (const { id, bodies: types, parameters: declared } of all) {
      expect({ id, body: id in bodies, parameters: id in parameters }).toEqual({
        id,
        body: types.includes("application/json"),
        parameters: declared.length > 0,
      });
    }
  });
});

describe.each(ids)("%s", (id) => {
  const described = operation(id);
  const row = operations[id];

  test("has a summary, a description and described parameters", () => {
    expect(described.summary).toMatch(/\S/);
    expect(described.description).toMatch(/\S/);
    expect(described.parameters.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  test("carries x-request-id on every response, each header described", () => {
    for (const [status, { headers = {} }] of Object.entries(described.responses)) {
      const requestId = headers["x-request-id"];
      expect({ status, required: requestId?.required, type: requestId?.schema.type }).toEqual({ status, required: true, type: "string" });
      expect(
        Object.entries(headers)
          .filter(([, { description }]) => !description)
          .map(([name]) => `${status} ${name}`),
      ).toEqual([]);
    }
  });

  test("describes every field that it takes and answers", () => {
    const contents = [described.requestBody?.content ?? {}, ...Object.values(described.responses).map(({ content }) => content ?? {})];
    const fields = contents.flatMap((one) => Object.values(one)).flatMap(({ schema }) => reachable(schema, id));
    const silent = fields.flatMap(({ at, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([, field]) => !field.description && !resolved(field).description)
        .map(([name]) => `${at}.${name}`),
    );
    expect(silent).toEqual([]);
  });

  test("answers per status exactly the words that its codes have in its dialect", () => {
    const shown = Object.fromEntries(
      Object.entries(described.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, { content }]) => [status, shownCodes(row, content?.["application/json"]?.schema ?? {})]),
    );
    expect(shown).toEqual(expectedCodes(row));
  });

  test("says retryable and x-should-retry unless every code of the status is bare", () => {
    for (const [status, { headers = {} }] of Object.entries(described.responses)) {
      if (Number(status) < 400) continue;
      const rows = row.errors.filter((code) => statusesOf(row, code).includes(Number(status))).map((code) => errors[code]);
      const declared = headers["x-should-retry"];
      expect({ status, declared: declared !== undefined }).toEqual({ status, declared: rows.some(({ bare }) => !bare) });
      if (declared) expect({ status, required: declared.required }).toEqual({ status, required: rows.every(({ bare }) => !bare) });
    }
  });

  test("shows an example of every error that it may answer with", () => {
    for (const [status, { content }] of Object.entries(described.responses)) {
      if (Number(status) < 400) continue;
      const name = content!["application/json"]!.schema.$ref!.split("/").at(-1)!;
      const examples = schema(name)["examples"] as unknown[];
      expect({ name, count: examples.length }).toEqual({ name, count: expectedCodes(row)[status]!.length });
      const validate = validatorOf(name);
      for (const example of examples)
        expect({ name, fits: validate(example), errors: validate.errors }).toEqual({ name, fits: true, errors: null });
    }
  });

  test("shows of each status the types of the specification's table, and a retry where it says so", () => {
    // Anthropic's types are a table of their own (render-error.test.ts); the other two envelopes say none of these.
    if (dialects[row.dialect].envelope !== "standard") return;
    for (const [status, { content }] of Object.entries(described.responses)) {
      if (Number(status) < 400) continue;
      const body = resolved(content!["application/json"]!.schema);
      const { type } = resolved(body.properties!["error"]!).properties!;
      expect({ status, unknown: (type!.enum as string[]).filter((word) => !typesOf[Number(status)]?.includes(word)) }).toEqual({
        status,
        unknown: [],
      });
      const examples = (body["examples"] as { error: { type: string; code: string; retryable?: boolean } }[]).map(({ error }) => error);
      const wrong = examples.filter(({ type, code, retryable = false }) => !isSpecified({ status: Number(status), type, code, retryable }));
      expect({ status, wrong }).toEqual({ status, wrong: [] });
    }
  });

  test("has an example of its JSON body or, without one, of its JSON answer", () => {
    const takes = described.requestBody?.content["application/json"];
    const answers = row.successes
      .map((status) => described.responses[status]?.content?.["application/json"])
      .filter((one) => one !== undefined);
    const wanted = takes ? [takes] : answers;
    if (wanted.length > 0) expect(wanted.some(({ examples }) => Object.keys(examples ?? {}).length > 0)).toBe(true);
  });
});

describe("the error catalogue", () => {
  const declared = new Set(all.flatMap(({ errors: codes }) => codes));

  test.each(Object.keys(errors) as ErrorCode[])(
    "%s: an operation, a job, a stream or an older dialect answers it, unless it is reserved",
    (code) => {
      const { reserved, jobOnly, older, unrouted, inStream } = errors[code];
      const elsewhere = [reserved, jobOnly, older, unrouted, inStream].some((flag) => flag === true);
      // To everybody but operators, an operator's operation is an unknown path.
      const operators = all.some(({ operator, errors: codes }) => operator !== undefined && codes.includes(code));
      if (reserved || older || unrouted) expect(declared.has(code)).toBe(operators && code === "endpoint_not_found");
      else expect(declared.has(code) || elsewhere).toBe(true);
    },
  );

  test("has for each status of an operation a type of the specification's table, and asks for a retry where it says so", () => {
    const said = all.flatMap((row) =>
      row.errors.flatMap((code) => statusesOf(row, code).map((status) => ({ row, code, status, ...errors[code].at?.[status] }))),
    );
    const wrong = said.filter(({ row, code, status, type = errors[code].type, retryable = errors[code].retryable }) => {
      // A code of a stream has no status of its own; rerank's bodies have no type, and a failed job that is waited for has its own word.
      if (errors[code].inStream) return false;
      const { envelope } = dialects[row.dialect];
      const untyped = envelope === "bare" || (envelope === "genmedia" && errors[code].job === true);
      const shown = untyped ? typesOf[status]![0]! : type;
      return !isSpecified({ status, type: shown, code, retryable });
    });
    expect(said.length).toBeGreaterThan(500);
    expect(wrong.map(({ row, code, status }) => `${row.id} ${code} ${status}`)).toEqual([]);
  });

  test("has for each status of a row a type of the specification's table, whether an operation answers it or not", () => {
    for (const [code, { status, type, jobOnly }] of Object.entries(errors)) {
      if (!jobOnly) expect({ code, known: typesOf[status]?.includes(type) }).toEqual({ code, known: true });
    }
  });

  test("is bare for exactly the five codes that don't follow the contract yet", () => {
    const bare = Object.entries(errors)
      .filter(([, row]) => row.bare)
      .map(([code]) => code);
    expect(bare.sort()).toEqual(["csrf_failed", "endpoint_retired", "no_speech_detected", "segments_unsupported", "voice_not_owned"]);
  });

  test("words that dialects use are codes of the catalogue, so that doc_url finds them; rerank's are types", () => {
    for (const [name, { envelope, codes }] of Object.entries(dialects)) {
      if (envelope === "bare") continue;
      expect({ name, unknown: Object.values(codes).filter((word) => !(word in errors)) }).toEqual({ name, unknown: [] });
    }
  });

  test("names every code of the specification", () => {
    const specified = `invalid_json missing_parameter invalid_parameter wrong_endpoint request_rejected unsupported_content content_refused
      missing_api_key invalid_api_key insufficient_credits model_requires_paid route_refused permission_denied session_required voice_not_owned
      model_not_found endpoint_not_found method_not_allowed endpoint_retired request_too_large rate_limit_exceeded upstream_invalid_response
      provider_unavailable model_unavailable unsupported_media_type upload_timeout csrf_failed no_speech_detected segments_unsupported
      stream_interrupted invalid_model invalid_prompt image_url_required too_many_references auth_error insufficient_balance invalid_request
      rate_limited db_error provider_error not_a_tts_model input_too_long voice_required audio_concurrent_limit tts_failed not_a_music_model
      prompt_too_long invalid_duration billing_error not_an_sfx_model not_a_voice_clone_model not_a_voice_design_model description_too_long
      unsupported_audio_type ownership_write_failed auth_required invalid_credentials not_found content_policy content_policy_likeness
      content_policy_nsfw content_policy_unsafe moderation_blocked input_too_large input_invalid invalid_input provider_timeout timeout
      provider_rate_limited payment_failed topup_not_found email_unverified invalid_token job_not_found internal_error`.split(/\s+/);
    expect(specified.filter((code) => !(code in errors))).toEqual([]);
  });
});

/** The types that a status may have (docs/behaviour/errors.md#types). */
const typesOf: Record<number, string[]> = {
  400: ["invalid_request_error"], 401: ["authentication_error"], 402: ["billing_error"], 403: ["permission_error"],
  404: ["not_found_error"], 405: ["invalid_request_error"], 408: ["timeout_error"], 409: ["invalid_request_error"],
  410: ["not_found_error"], 413: ["request_too_large"], 415: ["invalid_request_error"], 422: ["invalid_request_error"],
  429: ["rate_limit_error"], 500: ["api_error"], 502: ["upstream_error"], 503: ["upstream_error", "api_error"], 504: ["timeout_error"],
}; // prettier-ignore

/** docs/behaviour/errors.md#retry; 500 ownership_write_failed says that the call may be repeated. */
const retryStatuses = new Set([408, 429, 502, 503, 504]);

interface Said {
  status: number;
  type: string;
  code: string;
  retryable: boolean;
}
function isSpecified({ status, type, code, retryable }: Said): boolean {
  return typesOf[status]?.includes(type) === true && (!retryable || retryStatuses.has(status) || code === "ownership_write_failed");
}

function statusesOf(row: Operation, code: ErrorCode): readonly number[] {
  const ofDialect = dialects[row.dialect].statuses[code];
  return row.statuses?.[code] ?? (ofDialect === undefined ? (errors[code].statuses ?? [errors[code].status]) : [ofDialect]);
}

function expectedCodes(row: Operation): Record<string, string[]> {
  const byStatus: Record<string, Set<string>> = {};
  for (const code of row.errors) {
    if (errors[code].inStream) continue;
    for (const status of statusesOf(row, code)) (byStatus[status] ??= new Set()).add(dialects[row.dialect].codes[code] ?? code);
  }
  return Object.fromEntries(Object.entries(byStatus).map(([status, words]) => [status, [...words].sort()]));
}

/** Where each envelope says its word: error.code, details.code, or error.type where there is no code. */
function shownCodes(row: Operation, body: Schema): string[] {
  const { envelope } = dialects[row.dialect];
  const holder = resolved(body).properties?.[envelope === "genmedia" ? "details" : "error"];
  const word = resolved(holder ?? {}).properties?.[envelope === "bare" ? "type" : "code"];
  return [...((word?.enum ?? []) as string[])].sort();
}
