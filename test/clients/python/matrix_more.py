"""What the matrix of clients asks Python's frameworks for that only npm run test:clients installs (../more)."""

import json

from matrix import MODEL, QUESTION, REVIEW_FORMAT, TOOL_QUESTION, UNSERVED, client, code_of, messages, openai_of, review, shown, version  # noqa: F401


# instructor


def instructor_call(at, response_model, model=MODEL, **more):
    import instructor

    made = instructor.from_openai(openai_of(at), mode=instructor.Mode.JSON_SCHEMA)
    return made.chat.completions.create(model=model, messages=messages(), response_model=response_model, max_retries=0, **more)


def instructor_chat(at):
    answer = instructor_call(at, None)
    return shown(answer.choices[0].message.content, answer.usage, "prompt_tokens", "completion_tokens")


def instructor_structured(at):
    return instructor_call(at, review()).model_dump()


def instructor_errors(at):
    return code_of(lambda: instructor_call(at, review(), UNSERVED))


# Haystack


def haystack_of(at, model=MODEL, **more):
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.utils import Secret

    return OpenAIChatGenerator(Secret.from_token(at["key"]), model, api_base_url=f"{at['base']}/v1", max_retries=0, **more)


def haystack_reply(generator, question=QUESTION):
    from haystack.dataclasses import ChatMessage

    return generator.run([ChatMessage.from_user(question)])["replies"][0]


def haystack_shown(reply):
    usage = reply.meta.get("usage") or {}
    return {"text": reply.text, "input": usage.get("prompt_tokens"), "output": usage.get("completion_tokens"), "cost": usage.get("cost")}


def haystack_chat(at):
    return haystack_shown(haystack_reply(haystack_of(at)))


def haystack_stream(at):
    return haystack_shown(haystack_reply(haystack_of(at, streaming_callback=lambda chunk: None, generation_kwargs={"stream_options": {"include_usage": True}})))


def haystack_tools(at):
    from haystack.tools import create_tool_from_function

    def get_weather(city: str) -> str:
        """Tells the weather"""
        return "sunny"

    return haystack_reply(haystack_of(at, tools=[create_tool_from_function(get_weather)]), TOOL_QUESTION).tool_calls[0].tool_name


def haystack_structured(at):
    return json.loads(haystack_reply(haystack_of(at, generation_kwargs={"response_format": REVIEW_FORMAT})).text)


def haystack_errors(at):
    return code_of(lambda: haystack_reply(haystack_of(at, UNSERVED)))


# LlamaIndex


def llama_of(at, model=MODEL, **more):
    from llama_index.llms.openai_like import OpenAILike

    return OpenAILike(model=model, api_base=f"{at['base']}/v1", api_key=at["key"], is_chat_model=True, is_function_calling_model=True, max_retries=0, **more)


def llama_asked(question=QUESTION):
    from llama_index.core.llms import ChatMessage

    return [ChatMessage(role="user", content=question)]


def llama_chat(at):
    response = llama_of(at).chat(llama_asked())
    return shown(response.message.content, response.raw.usage, "prompt_tokens", "completion_tokens")


def llama_stream(at):
    parts = list(llama_of(at, additional_kwargs={"stream_options": {"include_usage": True}}).stream_chat(llama_asked()))
    usage = next((part.raw.usage for part in reversed(parts) if part.raw.usage), None)
    return shown(parts[-1].message.content, usage, "prompt_tokens", "completion_tokens")


def llama_tools(at):
    from llama_index.core.tools import FunctionTool

    def get_weather(city: str) -> str:
        """Tells the weather"""
        return "sunny"

    llm = llama_of(at)
    response = llm.chat_with_tools([FunctionTool.from_defaults(get_weather)], TOOL_QUESTION)
    return llm.get_tool_calls_from_response(response)[0].tool_name


def llama_structured(at):
    return llama_of(at, should_use_structured_outputs=True).as_structured_llm(review()).chat(llama_asked()).raw.model_dump()


def llama_errors(at):
    return code_of(lambda: llama_of(at, UNSERVED).chat(llama_asked()))


# Strands Agents


def strands_of(at, model=MODEL, **more):
    from strands import Agent
    from strands.models.openai import OpenAIModel

    client_args = {"base_url": f"{at['base']}/v1", "api_key": at["key"], "max_retries": 0}
    return Agent(OpenAIModel(client_args=client_args, model_id=model, **more.pop("model_config", {})), callback_handler=None, **more)


def strands_shown(result):
    usage = result.metrics.accumulated_usage
    return {"text": str(result), "input": usage["inputTokens"], "output": usage["outputTokens"]}


def strands_chat(at):
    return strands_shown(strands_of(at, model_config={"stream": False})(QUESTION))


def strands_stream(at):
    return strands_shown(strands_of(at)(QUESTION))


def strands_tools(at):
    from strands import tool

    called = []

    @tool
    def get_weather(city: str) -> str:
        """Tells the weather"""
        called.append("get_weather")
        return "sunny"

    strands_of(at, tools=[get_weather])(TOOL_QUESTION)
    return called[0]


def strands_errors(at):
    return code_of(lambda: strands_of(at, UNSERVED)(QUESTION))
