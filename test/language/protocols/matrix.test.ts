// Every claim of the language operations over every protocol that serves language models, through a gateway and the simulator.
// docs/protocol-matrix.md is the result; SVC_PROTOCOL_MATRIX=write writes it.
import { describe, expect, test } from "vitest";
import { readMatrix, type MatrixForm, type MatrixRow, writeMatrix } from "../../support/matrix-page.ts";
import { chatWorld } from "../../operations/chat/chat-gateway.ts";
import { leaveAfter } from "../../robustness/billing-matrix/client.ts";
import { eventually } from "../../support/eventually.ts";
import { chatClaims } from "./chat-claims.ts";
import type { At } from "./claim.ts";
import { messageClaims } from "./message-claims.ts";
import { completionClaims, responseClaims } from "./response-claims.ts";
import { type Column, columns, environment, limits, modelOf, modelsOf, providersOf } from "./columns.ts";

const form: MatrixForm = {
  file: "protocol-matrix.md",
  names: ["dialect", "claim"],
  columns,
  head: `# The matrix of protocols

Written by \`SVC_PROTOCOL_MATRIX=write npx vitest run test/language/protocols\`, which runs every cell through a gateway against the simulator; every
run of the tests compares. What is not "yes" has its reason, and a test holds that it is still so: what is refused is a 400 that says why, what is
left out is not sent to the host, and the answer comes without it.

What each operation serves over which protocol beside these is in [providers](providers/README.md#protocols-and-abilities).
`,
};

const dialects = { OpenAI: chatClaims, Anthropic: messageClaims, Responses: responseClaims, Completions: completionClaims };
const claims = Object.entries(dialects).flatMap(([dialect, of]) => Object.entries(of).map(([name, holds]) => ({ dialect, name, holds })));

const world = chatWorld(columns.flatMap(modelsOf), { providers: providersOf() }, { env: environment });
const rows: (MatrixRow & { cells: Record<string, string> })[] = claims.map(({ dialect, name }) => ({ names: [dialect, name], cells: {} }));

/** In words, before a host is asked or as it answers. */
const refusal = /"code":"request_rejected"|"type":"invalid_request_error"/;

async function atColumn(column: Column): Promise<At> {
  const account = await world.account();
  return {
    account,
    model: (purpose) => modelOf(column, purpose),
    post: (path, body) => world.gateway.request("POST", path, { key: account.key, body }),
    async leave(path, body, delta) {
      await leaveAfter({ url: world.gateway.url + path, headers: { authorization: `Bearer ${account.key}` }, body }, delta, 3);
      return await eventually(async () => {
        const { rows } = await world.gateway.context.db.pool.query("select * from usage_log where account_id = $1", [account.accountId]);
        expect(rows).toHaveLength(1);
        return rows[0] as Record<string, unknown>;
      });
    },
    sent: world.sent,
    spent: async () => (await world.gateway.balance(account)).spent,
  };
}

describe.each(columns)("%s", (column) => {
  test.each(claims.map((claim, index) => ({ ...claim, index })))("$dialect: $name", async ({ name, holds, index }) => {
    const limit = limits[column]?.[name];
    if (limit === undefined) await holds(await atColumn(column));
    else await expect(holds(await atColumn(column))).rejects.toThrow(limit.startsWith("refused: ") ? refusal : /expected/);
    rows[index]!.cells[column] = limit ?? "yes";
  });
});

test("docs/protocol-matrix.md says what was run", () => {
  if (process.env["SVC_PROTOCOL_MATRIX"] !== undefined) writeMatrix(form, rows);
  const said = readMatrix(form);
  expect(said.map(({ names }) => names)).toEqual(rows.map(({ names }) => names));
  expect(said).toMatchObject(rows);
});
