// Every claim of the language operations over every protocol that serves language models, through a gateway and the simulator.
// docs/protocol-matrix.md is the result; SVC_PROTOCOL_MATRIX=write writes it.
import { describe, expect, test } from "vitest";
import { readMatrix, type MatrixForm, type MatrixRow, writeMatrix } from "../../support/matrix-page.ts";
import { chatWorld } from "../../operations/chat/chat-gateway.ts";
import { type At, claims } from "./claims.ts";
import { type Column, columns, environment, limits, modelOf, modelsOf, providersOf } from "./columns.ts";

const form: MatrixForm = {
  file: "protocol-matrix.md",
  names: ["dialect", "claim"],
  columns,
  head: `# The matrix of protocols

Written by \`SVC_PROTOCOL_MATRIX=write npx vitest run test/language/protocols\`, which runs every cell through a gateway against the simulator; every
run of the tests compares. "no" has its reason, and a test holds that it is still so.

What each operation serves over which protocol beside these is in [providers](providers/README.md#protocols-and-abilities).
`,
};

const world = chatWorld(columns.flatMap(modelsOf), { providers: providersOf() }, { env: environment });
const rows: (MatrixRow & { cells: Record<string, string> })[] = claims.map(({ dialect, name }) => ({ names: [dialect, name], cells: {} }));

async function atColumn(column: Column): Promise<At> {
  const account = await world.account();
  return {
    account,
    model: (purpose) => modelOf(column, purpose),
    post: (path, body) => world.gateway.request("POST", path, { key: account.key, body }),
    spent: async () => (await world.gateway.balance(account)).spent,
  };
}

describe.each(columns)("%s", (column) => {
  test.each(claims.map((claim, index) => ({ ...claim, index })))("$dialect: $name", async ({ name, holds, index }) => {
    const limit = limits[column]?.[name];
    if (limit === undefined) await holds(await atColumn(column));
    else await expect(holds(await atColumn(column))).rejects.toThrow();
    rows[index]!.cells[column] = limit ?? "yes";
  });
});

test("docs/protocol-matrix.md says what was run", () => {
  if (process.env["SVC_PROTOCOL_MATRIX"] !== undefined) writeMatrix(form, rows);
  const said = readMatrix(form);
  expect(said.map(({ names }) => names)).toEqual(rows.map(({ names }) => names));
  expect(said).toMatchObject(rows);
});
