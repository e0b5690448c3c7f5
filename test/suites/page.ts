// docs/public-suites.md: how many tests of each suite pass, and why the others do not.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Outcome, Suite } from "./suite.ts";

export interface Result {
  suite: Suite;
  outcomes: readonly Outcome[];
}

const path = fileURLToPath(new URL("../../docs/public-suites.md", import.meta.url));

const head = `# Other people's suites

Written by \`npm run test:suites\`, which brings the suites from their repositories and runs each against a gateway whose models are the simulator's. A
test that stops to pass, or begins to, fails the run until this page says so. Nothing of the suites is in this repository.

Not among them: the end-to-end tests of lightseekorg/smg, whose harness starts its own gateway and the models behind it. What is known of them
stands at the end.
`;

/** Not run by us again: what a run by hand found, with fixtures in place of the suite's harness. */
const smg = `
## smg, end to end: tried by hand

[lightseekorg/smg](https://github.com/lightseekorg/smg) at 73da68ca9472. Four of its files about chat completions were run on 28 November 2026 against a
gateway with the simulator's models: 53 tests, of which 32 passed.

| test | why it does not pass |
| --- | --- |
| test_enable_thinking (4 tests) | Want a model that thinks; the one that was tried does not. |
| test_function_calling_format, test_function_calling_streaming_simple, test_function_calling_streaming_args_parsing | Want a model that understands the question; the simulator calls the tools that are named to it. |
| test_function_call_strict | Skipped by the suite. |
| test_error_handling_invalid_tool_choice | Wants the words of smg's refusal; here it is a 400 in other words. |
| test_conflicting_defs_required_tool_choice | smg makes one grammar of all tools and refuses definitions of one name that differ; here each tool has its own. |
| test_multimodal (5 tests) | Want a model that sees a dog in a picture. |
| test_multi_content_parts | Wants a model that knows a capital. |
| test_regex, test_response_prefill | Use \`regex\` and \`continue_final_message\`, fields of the engines behind smg, which OpenAI's endpoint does not have. |
| test_model_list | Wants the list to hold the one model that its harness started. |
| test_rid_becomes_response_id, test_x_request_id_header_prefixes_response_id | smg takes an answer's id from the caller; here the gateway makes them, since receipts go by them. |

| folder of smg | tests | run? |
| --- | --- | --- |
| chat_completions, other files | 20 | Not yet; those of sampling defaults and of encoders apart from their models are about the engines. |
| completions, embeddings, messages, responses | 157 | Not yet. A part wants MCP servers of its harness, other vendors' tools, or torch. |
| realtime | 16 | No: there is no realtime endpoint here. |
| router, infra | 42 | No: they are about workers behind smg's own router, and its administration. |
| bindings_go, mlx, kind_discovery, benchmarks | 48 | No: they are about smg's Go library, Apple's engine, its discovery in Kubernetes, and speed. |
`;

export function pageOf(results: readonly Result[]): string {
  const rows = results.map(({ suite: { name, repository, commit }, outcomes }) => {
    const passed = outcomes.filter(({ faults }) => faults.length === 0).length;
    return `| [${name}](${repository}) | ${commit.slice(0, 12)} | ${outcomes.length} | ${passed} |`;
  });
  const lists = results.map(({ suite: { name, reasons } }) => {
    const lines = Object.entries(reasons).map(([test, reason]) => `| ${test} | ${reason} |`);
    return lines.length === 0 ? "" : `\n## ${name}: what does not pass\n\n| test | why |\n| --- | --- |\n${lines.join("\n")}\n`;
  });
  return `${head}\n| suite | at | tests | pass |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n${lists.join("")}${smg}`;
}

export const writePage = (text: string): void => writeFileSync(path, text);
export const readPage = (): string => readFileSync(path, "utf8");
