// What Codex CLI 0.169.0 (2026-11-21) really sent to a gateway that it knew by base address alone, long texts shortened. How it was
// told: `[model_providers.svc]` with base_url, env_key and wire_api = "responses"; `codex exec`.

const message = (role: string, ...texts: string[]) => ({
  type: "message",
  id: "msg_01a20043-088c-77f0-a0b3-94c6c2bc189f",
  role,
  content: texts.map((text) => ({ type: "input_text", text })),
});

const tool = (name: string, description: string, properties: object, required: string[]) => ({
  type: "function",
  name,
  description,
  strict: false,
  parameters: { type: "object", properties, required, additionalProperties: false },
});

const opening = [
  message("developer", "You are a coding agent running in the Codex CLI, a terminal-based coding assistant."),
  message("developer", "<skills_instructions>\n## Skills\n</skills_instructions>", "<permissions instructions>\nApproval policy is never."),
  message("user", "<environment_context>\n  <cwd>/tmp/project</cwd>\n  <shell>bash</shell>\n</environment_context>"),
];

const shared = {
  stream: true,
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { summary: "auto" },
  store: false,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "01a20042-b61c-7900-b47f-8ed2007893df",
  client_metadata: { session_id: "01a20042", "x-codex-window-id": "01a20042:0" },
  tools: [
    tool(
      "exec_command",
      "Runs a command in a PTY.",
      { cmd: { type: "string", description: "Shell command to execute." }, login: { type: "boolean" } },
      ["cmd"],
    ),
    tool("view_image", "View a local image file.", { path: { type: "string" } }, ["path"]),
    {
      type: "namespace",
      name: "multi_agent_v1",
      description: "Tools for spawning and managing sub-agents.",
      tools: [tool("close_agent", "Close an agent.", { target: { type: "string" } }, ["target"])],
    },
    tool("get_goal", "Get the current goal for this thread.", {}, []),
    { type: "web_search", external_web_access: false },
  ],
};

export const headers = {
  accept: "text/event-stream",
  originator: "codex_exec",
  "user-agent": "codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm (codex_exec; 0.169.0)",
  "session-id": "01a20042-b61c-7900-b47f-8ed2007893df",
  "x-codex-beta-features": "remote_compaction_v2",
};

export const firstTurn = { ...shared, input: [...opening, message("user", "Run exec_command, get_goal and multi_agent_v1__close_agent")] };

/** After the tools ran: thinking and calls as they were answered, then their results. `answered` are the output items of the first turn. */
export function secondTurn(answered: { type: string; call_id?: string }[]) {
  const results = answered
    .filter(({ type }) => type === "function_call")
    .map(({ call_id }) => ({ type: "function_call_output", id: "fco_01a20043-092b-7370-a9be-c0331fb469a9", call_id, output: "done" }));
  const kept = answered.map((item) => (item.type === "reasoning" ? { ...item, content: null } : item));
  return { ...firstTurn, input: [...firstTurn.input, ...kept, ...results] };
}

/** `codex exec --output-schema schema.json -i a.png`. */
export const withImage = {
  ...shared,
  text: {
    format: {
      type: "json_schema",
      strict: true,
      schema: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"], additionalProperties: false },
      name: "codex_output_schema",
    },
  },
  input: [
    ...opening,
    {
      type: "message",
      id: "msg_01a20043-df12-7ed0-b908-a21fc77d9e62",
      role: "user",
      content: [
        { type: "input_text", text: '<image name=[Image #1] path="a.png">' },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "high" },
        { type: "input_text", text: "</image>" },
        { type: "input_text", text: "What is this?" },
      ],
    },
  ],
};

/** To a model that Codex knows by name: its tools stand among the items, custom ones in namespaces. */
export const knownModel = {
  stream: true,
  tool_choice: "auto",
  parallel_tool_calls: false,
  reasoning: { effort: "low", context: "all_turns" },
  store: false,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "01a20043-8b78-7322-a284-09283186530a",
  text: { verbosity: "low" },
  input: [
    {
      type: "additional_tools",
      id: "at_01a20043-8b99-7313-94aa-c662dcae4109",
      role: "developer",
      tools: [
        {
          type: "namespace",
          name: "functions",
          description: "",
          tools: [
            {
              type: "custom",
              name: "exec",
              description: "Run JavaScript code.",
              format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
            },
          ],
        },
        {
          type: "namespace",
          name: "clock",
          description: "Tools for time.",
          tools: [tool("sleep", "Pause.", { ms: { type: "number" } }, ["ms"])],
        },
      ],
    },
    ...opening,
    message("user", "Use functions__exec"),
  ],
};
