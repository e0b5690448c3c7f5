// Answers of OpenAI and of hosts that speak like it, in the shapes that are published, and what each becomes.
import { aiSdk, chunk, details, last, look, recorded, type Row, used, whole } from "./corpus-row.ts";

const stopped = (content: string, usage: object, more: object = {}) =>
  whole({ content, refusal: null, annotations: [] }, "stop", usage, more);
const called = (calls: object[], usage: object, message: object = {}) =>
  whole({ content: null, tool_calls: calls, ...message }, "tool_calls", usage);

export const answers: Row[] = [
  {
    name: "a text",
    source: aiSdk("openai-text.json"),
    answer: stopped("Hello.", used(16, 363, details(0, 0)), { service_tier: "default" }),
    usage: [16, 0, 0, 363, 0],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "tokens of thoughts that are not shown",
    source: recorded("test_settings/test_stop_settings[openai]"),
    answer: stopped("Hello.", used(31, 467, details(0, 448))),
    usage: [31, 0, 0, 467, 448],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "a prompt that was written to the cache",
    source: recorded("test_openai_prompt_cache/test_openai_chat_prompt_cache_e2e"),
    answer: stopped("OK.", used(4_020, 4, details(0, 0, { cache_write_tokens: 4_012 }))),
    usage: [8, 0, 4_012, 4, 0],
    told: { content: "OK.", finish: "stop" },
  },
  {
    name: "a prompt that was read from the cache",
    source: "https://platform.openai.com/docs/guides/prompt-caching",
    answer: stopped("OK.", used(2_006, 300, details(1_920, 0))),
    usage: [86, 1_920, 0, 300, 0],
    told: { content: "OK.", finish: "stop" },
  },
  {
    name: "a prompt with sound in it",
    source: recorded("test_openai/test_audio_as_binary_content_input"),
    answer: stopped("A gull.", used(64, 9, details(0, 0, { audio_tokens: 44, text_tokens: 20 }))),
    usage: [64, 0, 0, 9, 0],
    told: { content: "A gull.", finish: "stop" },
  },
  {
    name: "a call",
    source: recorded("test_cache_prefix_stability/test_openai_tool_call_roundtrip_wire_stable[ag_ui]"),
    answer: called([look("call_1", '{"city":"Bergen"}')], used(48, 14, details(0, 0))),
    usage: [48, 0, 0, 14, 0],
    told: { calls: [["look", '{"city":"Bergen"}']], finish: "tool_calls" },
  },
  {
    name: "a call without arguments behind a text, as OpenRouter passes it on",
    source: recorded("test_openrouter/test_openrouter_tool_optional_parameters"),
    answer: whole(
      { content: "I'll look.", tool_calls: [{ id: "toolu_1", type: "function", function: { name: "look" } }] },
      "tool_calls",
      used(568, 48),
    ),
    usage: [568, 0, 0, 48, 0],
    told: { content: "I'll look.", calls: [["look", "{}"]], finish: "tool_calls" },
  },
  {
    name: "reasoning under the shorter name",
    source: recorded("test_thinking_wire_contract/test_reasoning_wire_contract[cerebras-gpt-oss-always-on]"),
    answer: stopped("4", used(80, 45, details(0, 34)), {}),
    usage: [80, 0, 0, 45, 34],
    told: { content: "4", finish: "stop" },
  },
  {
    name: "reasoning before a call, with the cache's hits said twice",
    source: recorded("test_deepseek/test_deepseek_deferred_capability_with_thinking"),
    answer: called(
      [look("call_00", '{"q":1}')],
      used(563, 116, { prompt_cache_hit_tokens: 512, prompt_cache_miss_tokens: 51, ...details(512, 60) }),
      { content: "I'll look.", reasoning_content: "Weather." },
    ),
    usage: [51, 512, 0, 116, 60],
    told: { content: "I'll look.", reasoning: "Weather.", calls: [["look", '{"q":1}']], finish: "tool_calls" },
  },
  {
    name: "reasoning, with its details beside it and what it cost",
    source: recorded("test_openrouter/test_openrouter_file_annotation"),
    answer: whole(
      {
        content: "Ink.",
        reasoning: "A file.",
        reasoning_details: [{ type: "reasoning.text", text: "A file.", index: 0 }],
        annotations: [],
      },
      "stop",
      used(155, 80, { cost: 0.002, completion_tokens_details: { image_tokens: 0, reasoning_tokens: 64 } }),
      { provider: "Anyone" },
    ),
    usage: [155, 0, 0, 80, 64],
    told: { content: "Ink.", reasoning: "A file.", finish: "stop" },
  },
  {
    name: "times among the tokens",
    source: recorded("test_settings/test_stop_settings[groq]"),
    answer: stopped("Hello.", used(35, 25, { queue_time: 0.02, prompt_time: 0.004, completion_time: 0.02, total_time: 0.025 }), {
      x_groq: { id: "req_01" },
    }),
    usage: [35, 0, 0, 25, 0],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "cached tokens beside the sums",
    source: recorded("test_huggingface/test_hf_model_instructions"),
    answer: stopped("Hello.", used(16, 216, { cached_tokens: 0 })),
    usage: [16, 0, 0, 216, 0],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "cached tokens by Mistral's name",
    source: recorded("test_tool_choice_matrix/test_tool_choice_matrix[auto-mistral]"),
    answer: called([look("3XhQnxLsT", '{"city": "Bergen"}')], used(77, 12, { num_cached_tokens: 76 }), { content: "" }),
    usage: [1, 76, 0, 12, 0],
    told: { calls: [["look", '{"city":"Bergen"}']], finish: "tool_calls" },
  },
  {
    name: "members of older dialects that say nothing",
    source: recorded("test_snowflake/test_snowflake_llama"),
    answer: whole(
      { content: "Hello.", audio: { id: "" }, function_call: { name: "", arguments: "" } },
      "stop",
      used(89, 14, details(0, 0)),
    ),
    usage: [89, 0, 0, 14, 0],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "a streamed text with padding, usage last",
    source: aiSdk("openai-text.chunks.txt"),
    records: [
      chunk({ role: "assistant", content: "", refusal: null }, null, { usage: null, obfuscation: "Qup1BsQ3" }),
      chunk({ content: "The" }, null, { usage: null, obfuscation: "yhjo" }),
      chunk({ content: " sea." }, null, { usage: null, obfuscation: "dTh" }),
      chunk({}, "stop", { usage: null, obfuscation: "yoKFv" }),
      last(used(16, 3, details(0, 0))),
    ],
    usage: [16, 0, 0, 3, 0],
    told: { content: "The sea.", finish: "stop" },
  },
  {
    name: "two streamed calls",
    source: recorded("test_dbos/test_complex_agent_run_in_workflow"),
    records: [
      chunk({ role: "assistant", content: null, tool_calls: [{ index: 0, ...look("call_1", "") }], refusal: null }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"q":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: "1}" } }] }),
      chunk({ tool_calls: [{ index: 1, ...look("call_2", "") }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '{"q":2}' } }] }),
      chunk({}, "tool_calls"),
      last(used(364, 40, details(0, 0))),
    ],
    usage: [364, 0, 0, 40, 0],
    told: { calls: [["look", '{"q":1}'], ["look", '{"q":2}']], finish: "tool_calls" }, // prettier-ignore
  },
  {
    name: "streamed reasoning, then a text",
    source: recorded("test_deepseek/test_deepseek_model_thinking_stream"),
    records: [
      chunk({ role: "assistant", content: null, reasoning_content: "" }),
      chunk({ content: null, reasoning_content: "Two and" }),
      chunk({ content: null, reasoning_content: " two." }),
      chunk({ content: "4", reasoning_content: null }),
      chunk(
        { content: "", reasoning_content: null },
        "stop",
        used(6, 212, { ...details(0, 198), prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 6 }),
      ),
    ],
    usage: [6, 0, 0, 212, 198],
    told: { content: "4", reasoning: "Two and two.", finish: "stop" },
  },
  {
    name: "usage in a member of the host's own, with the end",
    source: recorded("test_groq/test_groq_model_thinking_part_iter"),
    records: [
      chunk({ role: "assistant", content: "" }, null, { x_groq: { id: "req_01" } }),
      chunk({ content: "The sea." }),
      chunk({}, "stop", { x_groq: { id: "req_01", ...used(21, 988, { queue_time: 0.05 }) } }),
    ],
    usage: [21, 0, 0, 988, 0],
    told: { content: "The sea.", finish: "stop" },
  },
  {
    name: "streamed reasoning on a channel of its own, before a call that comes whole",
    source: recorded("test_groq/test_tool_use_failed_error_streaming"),
    records: [
      chunk({ role: "assistant", content: null }),
      chunk({ reasoning: "Weather.", channel: "analysis" }),
      chunk({ tool_calls: [{ index: 0, ...look("fc_1", '{"q":1}') }] }),
      chunk({}, "tool_calls", { x_groq: { id: "req_01", ...used(304, 49) } }),
      last(used(304, 49, { completion_tokens_details: { reasoning_tokens: 23 } })),
    ],
    usage: [304, 0, 0, 49, 23],
    told: { reasoning: "Weather.", calls: [["look", '{"q":1}']], finish: "tool_calls" },
  },
  {
    name: "a stream of tokens with their ids",
    source: recorded("test_huggingface/test_hf_model_thinking_part_iter"),
    records: [
      chunk({ role: "assistant", content: "The", token_id: 785 }),
      chunk({ content: " sea.", token_id: 9 }),
      chunk({ content: "" }, "stop"),
      last(used(10, 955, { cached_tokens: 0 })),
    ],
    usage: [10, 0, 0, 955, 0],
    told: { content: "The sea.", finish: "stop" },
  },
];
