// Amazon's credentials over real sockets: what the simulator computes anew, clocks that are off, roles, and what the operator is told.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { awsAuthorization, type AwsIdentity } from "../../../src/providers/credentials/aws.ts";
import { bedrockMessages } from "../../../src/providers/bedrock/messages.ts";
import { failureOf, type UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import { accessKeyId, roleArn, secretAccessKey } from "../../../src/simulator/bedrock/signature.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { routeTo, useUpstream } from "../upstream-fixture.ts";

let simulator: Simulator;
beforeAll(async () => void (simulator = await startSimulator()));
afterAll(() => simulator.close());

const region = "us-east-1";
const own: AwsIdentity = { region, keys: () => ({ accessKeyId, secretAccessKey }), roleArn: null, stsUrl: null };
const minute = 60_000;
const now = () => new Date();

function ask(identity: AwsIdentity, clock = now, model = "anthropic.demo-v1:0") {
  const provider = { protocol: "bedrock" as const, apiKey: null, ...awsAuthorization(identity, clock) };
  const route = { ...routeTo(`${simulator.url}/bedrock`, provider), model };
  const signal = new AbortController().signal;
  const body = JSON.stringify({ model: "m", max_tokens: 50, messages: [{ role: "user", content: "Hi" }] });
  const call = { route, signal, requestId: "req_1", publicModel: "m", body, stream: false, outputMax: 50, betas: null, serverTools: [] };
  return bedrockMessages(useUpstream())({ ...call, promptTokens: async () => 1 });
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: UpstreamError) => [error.fault, failureOf(error)],
  );

describe("a signature", () => {
  test("of the right key is taken", async () => {
    expect((await ask(own)).kind).toBe("whole");
  });

  test("of another key is our fault, and the cause says so", async () => {
    const wrong = { ...own, keys: () => ({ accessKeyId, secretAccessKey: `${secretAccessKey}x` }) };
    const detail = "the provider refuses the credentials (InvalidSignatureException)";
    expect(await failure(ask(wrong))).toEqual(["our_fault", { cause: "credentials", detail }]);
    const unknown = { ...own, keys: () => ({ accessKeyId: "AKIAUNKNOWN000000000", secretAccessKey }) };
    expect((await failure(ask(unknown)))![1]).toMatchObject({
      cause: "credentials",
      detail: expect.stringContaining("UnrecognizedClient"),
    });
  });

  test.each([-20, 20])("by a clock that is %i minutes off: the cause tells the operator of the clock", async (minutes) => {
    const result = await failure(ask(own, () => new Date(Date.now() + minutes * minute)));
    expect(result).toEqual(["our_fault", { cause: "clock_skew", detail: expect.stringContaining("clock is wrong") }]);
  });
});

describe("a role", () => {
  const role: AwsIdentity = {
    ...own,
    roleArn,
    get stsUrl() {
      return `${simulator.url}/bedrock/sts`;
    },
  };

  test("gives keys of its own", async () => {
    simulator.reset();
    expect((await ask(role)).kind).toBe("whole");
    const [sts, call] = simulator.calls();
    expect(sts).toMatchObject({ path: "/bedrock/sts", body: expect.stringContaining("Action=AssumeRole") });
    expect(call!.headers).toMatchObject({ "x-amz-security-token": expect.any(String), authorization: expect.stringContaining("=ASIA") });
  });

  test("that can't be assumed is named with STS's code, and no secret", async () => {
    const other = { ...role, stsUrl: `${simulator.url}/bedrock/sts`, roleArn: "arn:aws:iam::123456789012:role/other" };
    expect(await failure(ask(other))).toEqual([
      "our_fault",
      { cause: "credentials", detail: "the role can't be assumed: STS answered 403 (AccessDenied)" },
    ]);
  });

  test("whose STS is not there is named too", async () => {
    const away = { ...role, stsUrl: "http://127.0.0.1:1/" };
    expect(await failure(ask(away))).toEqual(["our_fault", { cause: "credentials", detail: expect.stringContaining("can't be reached") }]);
  });
});
