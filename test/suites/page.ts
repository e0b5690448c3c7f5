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

[lightseekorg/smg](https://github.com/lightseekorg/smg) at 73da68ca9472. Its files were run on 28 November 2026 against a
gateway with the simulator's models, fixtures of our own in place of its harness, and OpenAI's and Anthropic's Python SDKs. A test that it repeats
for its own client or for other engines was run once; one that several classes inherit, once in each.

| file of smg | tests | passed |
| --- | --- | --- |
| chat_completions: enable_thinking, function_calling, multimodal, openai_server | 53 | 32 |
| chat_completions/test_validation | 9 | 5 |
| chat_completions/test_structured_output | 6 | 6 |
| chat_completions/test_reasoning_content | 5 | 1 |
| chat_completions/test_sampling_defaults | 2 | 0 |
| completions/test_basic | 19 | 10 |
| embeddings/test_basic | 5 | 5 |
| messages/test_basic | 5 | 3 |
| messages/test_tool_use | 4 | 3 |
| responses/test_state_management | 41 | 25 |
| responses/test_basic_crud | 14 | 10 |
| responses/test_sampling_params | 6 | 4 |
| responses/test_streaming_events | 3 | 0 |
| responses/test_structured_output | 3 | 3 |
| responses/test_storage_hooks | 3 | 3 |
| responses/test_tools_call, those without MCP | 9 | 5 |
| responses/test_builtin_tools, those without MCP | 4 | 4 |

What passes of test_storage_hooks and of the classes for Oracle's database says nothing of smg's hooks and of Oracle: there are none here. That a
built-in tool is accepted does not mean that it runs.

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
| chat_completions/test_validation: test_ignore_eos | Needs the transformers package and the model's own tokenizer. |
| test_ignore_eos_rejected, test_no_stop_trim_with_skip_special_false | Are about \`ignore_eos\`, \`no_stop_trim\` and \`skip_special_tokens\`, fields of the engines behind smg, which OpenAI's endpoint does not have. |
| test_tool_choice_with_response_format_rejected | smg refuses both together; here both are passed on. |
| test_reasoning_content: three that stream, test_nonstreaming_separate_reasoning_false | Three read \`reasoning_content\` of every record, and here a record without thinking has none; one wants \`separate_reasoning\`, a field of the engines. |
| test_sampling_defaults (2 tests) | Read /workers of smg's administration. |
| test_non_streaming_suffix, test_batch (5 tests) | Need a model whose provider has completions of its own; none in the catalog that was used does, and the answer is a 400 that says so. |
| completions: test_rid_becomes_response_id | As above: smg takes an answer's id from the caller. |
| test_non_streaming_echo_max_tokens_zero, test_streaming_echo_max_tokens_zero | Ours: OpenAI's description of completions allows \`max_tokens: 0\`, here it is a 400 that names it: a chat makes at least one token, and an answer that no model made would be the prompt again. |
| messages: test_non_streaming_with_system, test_non_streaming_multi_turn, test_multiple_tools_available | Want a model that understands what it reads; the simulator repeats it, and calls the tools that are named to it. |
| test_previous_response_id_chaining (5 tests), test_conversation_with_multiple_turns (3 tests) | Want a model that remembers a name or counts apples; the simulator repeats what it reads. |
| test_store_false_conversation_no_items (3 tests) | Wants a response with \`store: false\` to add nothing to its conversation; here it adds its items. OpenAI's reference says that input and output are added once the response completes, without exception; it was not tried. |
| test_mutually_exclusive_parameters (5 tests) | Was ours, mended since: a conversation that does not exist was a 404 before the two were held against each other; both together are a 400, as the test wants. |
| test_delete_response, test_background_response (4 tests) | Skipped by the suite. |
| test_temperature_zero_is_deterministic (2 tests), test_output_item_event_emitted (2 tests) | Want an answer that ends before the limit of tokens; the simulator's does not, so the response is incomplete. |
| test_streaming_events: test_reasoning_content | Wants a model that thinks unasked; the one that was tried does not. |
| responses: test_basic_function_call (2 tests) | Want a model that understands the question: the simulator calls the function with made-up arguments. |
| responses: test_tool_choice_specific_function (2 tests) | Send \`tool_choice\` in the form of chat completions, with the name within \`function\`; in responses OpenAI has the name beside \`type\`. |

| folder of smg | tests | run? |
| --- | --- | --- |
| chat_completions/test_epd_multimodal | 2 | No: it is about encoders apart from their models. |
| embeddings/test_correctness | 2 | No: it compares with a model that torch runs. |
| messages/test_mcp_tool, messages/test_tool_search | 8 | No: they want the MCP server of its harness, or tools that Anthropic runs. |
| responses/test_tools_call with MCP, responses/test_builtin_tools with MCP | 35 | No: they want the MCP servers of its harness. |
| responses/test_image_generation | 6 | No: it wants an MCP server of its harness that makes images. |
| responses/test_annotations | 8 | No: it wants searches, files and code that OpenAI runs. |
| responses/test_validation | 4 | Not with a valid key, so nothing is said of it. By hand its two wrong inputs are a 400, with another code than smg's. |
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
