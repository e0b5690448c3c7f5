"""What the matrix of clients asks Python's frameworks over OpenAI's dialect for; matrix.py has the vendors' own clients."""

import asyncio
import json

from matrix import EMBEDDER, MODEL, QUESTION, TOOL, TOOL_QUESTION, UNSERVED, client, messages, review, shown, version  # noqa: F401


# litellm


def litellm_call(at, **more):
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm.completion(**{"model": f"openai/{MODEL}", "messages": messages(), "api_base": f"{at['base']}/v1", "api_key": at["key"], "num_retries": 0, **more})


def litellm_chat(at):
    answer = litellm_call(at)
    return shown(answer.choices[0].message.content, answer.usage, "prompt_tokens", "completion_tokens")


def litellm_stream(at):
    chunks = list(litellm_call(at, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    usage = next((chunk.usage for chunk in reversed(chunks) if getattr(chunk, "usage", None)), None)
    return shown(text, usage, "prompt_tokens", "completion_tokens")


def litellm_tools(at):
    return litellm_call(at, messages=messages(TOOL_QUESTION), tools=[TOOL]).choices[0].message.tool_calls[0].function.name


def litellm_structured(at):
    return json.loads(litellm_call(at, response_format=review()).choices[0].message.content)


def litellm_embeddings(at):
    import litellm

    answer = litellm.embedding(model=f"openai/{EMBEDDER}", input=["sea"], api_base=f"{at['base']}/v1", api_key=at["key"])
    return len(answer.data[0]["embedding"])


def litellm_errors(at):
    import litellm

    try:
        litellm_call(at, model=f"openai/{UNSERVED}")
    except litellm.NotFoundError as error:
        return error.response.json()["error"]["code"]


# langchain-openai


def langchain_of(at, model=MODEL):
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=model, base_url=f"{at['base']}/v1", api_key=at["key"], max_retries=0, stream_usage=True)


def langchain_message(message):
    usage = message.usage_metadata or {}
    cost = (message.response_metadata.get("token_usage") or {}).get("cost")
    return {"text": message.text, "input": usage.get("input_tokens"), "output": usage.get("output_tokens"), "cost": cost}


def langchain_chat(at):
    return langchain_message(langchain_of(at).invoke(QUESTION))


def langchain_stream(at):
    whole = None
    for chunk in langchain_of(at).stream(QUESTION):
        whole = chunk if whole is None else whole + chunk
    return langchain_message(whole)


def langchain_tools(at):
    return langchain_of(at).bind_tools([TOOL]).invoke(TOOL_QUESTION).tool_calls[0]["name"]


def langchain_structured(at):
    return langchain_of(at).with_structured_output(review()).invoke(QUESTION).model_dump()


def langchain_embeddings(at):
    from langchain_openai import OpenAIEmbeddings

    embeddings = OpenAIEmbeddings(model=EMBEDDER, base_url=f"{at['base']}/v1", api_key=at["key"], check_embedding_ctx_length=False)
    return len(embeddings.embed_query("sea"))


def langchain_errors(at):
    import openai

    try:
        langchain_of(at, UNSERVED).invoke(QUESTION)
    except openai.NotFoundError as error:
        return error.code


# pydantic-ai


def pydantic_agent(at, model=MODEL, **more):
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=f"{at['base']}/v1", api_key=at["key"])
    return Agent(OpenAIChatModel(model, provider=provider), **more)


def usage_of(result):
    return result.usage() if callable(result.usage) else result.usage


def pydantic_chat(at):
    result = pydantic_agent(at).run_sync(QUESTION)
    return shown(result.output, usage_of(result), "input_tokens", "output_tokens")


def pydantic_stream(at):
    async def run():
        async with pydantic_agent(at).run_stream(QUESTION) as result:
            text = await result.get_output()
            return shown(text, usage_of(result), "input_tokens", "output_tokens")

    return asyncio.run(run())


def pydantic_tools(at):
    called = []

    def get_weather(city: str) -> str:
        """Tells the weather"""
        called.append("get_weather")
        return "sunny"

    pydantic_agent(at, tools=[get_weather]).run_sync(TOOL_QUESTION)
    return called[0]


def pydantic_structured(at):
    from pydantic_ai import NativeOutput

    return pydantic_agent(at, output_type=NativeOutput(review())).run_sync(QUESTION).output.model_dump()


def pydantic_errors(at):
    from pydantic_ai.exceptions import ModelHTTPError

    try:
        pydantic_agent(at, UNSERVED).run_sync(QUESTION)
    except ModelHTTPError as error:
        return error.body["code"]


# openai-agents


def agents_of(at, model=MODEL, **more):
    from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    sdk = AsyncOpenAI(base_url=f"{at['base']}/v1", api_key=at["key"], max_retries=0)
    chat = OpenAIChatCompletionsModel(model=model, openai_client=sdk)
    return Agent(name="sea", model=chat, model_settings=ModelSettings(include_usage=True), **more)


def agents_result(result):
    return shown(result.final_output, result.context_wrapper.usage, "input_tokens", "output_tokens")


def agents_run(agent, question=QUESTION):
    from agents import Runner

    return asyncio.run(Runner.run(agent, question))


def agents_chat(at):
    return agents_result(agents_run(agents_of(at)))


def agents_stream(at):
    from agents import Runner

    async def run():
        result = Runner.run_streamed(agents_of(at), QUESTION)
        async for _ in result.stream_events():
            pass
        return agents_result(result)

    return asyncio.run(run())


def agents_tools(at):
    from agents import function_tool

    called = []

    @function_tool
    def get_weather(city: str) -> str:
        """Tells the weather"""
        called.append("get_weather")
        return "sunny"

    agents_run(agents_of(at, tools=[get_weather]), TOOL_QUESTION)
    return called[0]


def agents_structured(at):
    return agents_run(agents_of(at, output_type=review())).final_output.model_dump()


def agents_errors(at):
    import openai

    try:
        agents_run(agents_of(at, UNSERVED))
    except openai.NotFoundError as error:
        return error.code


# llm


def llm_prompt(at, model=MODEL, **more):
    from llm.default_plugins.openai_models import Chat

    chat = Chat("sea", model_name=model, api_base=f"{at['base']}/v1", supports_schema=True)
    chat.key = at["key"]
    return chat.prompt(QUESTION, **more)


def llm_shown(response):
    told = shown(response.text(), response.usage(), "input", "output")
    return {**told, "cost": (response.usage().details or {}).get("cost")}


def llm_chat(at):
    return llm_shown(llm_prompt(at, stream=False))


def llm_stream(at):
    return llm_shown(llm_prompt(at, stream=True))


def llm_structured(at):
    return json.loads(llm_prompt(at, stream=False, schema=review()).text())


def llm_errors(at):
    import openai

    try:
        llm_prompt(at, UNSERVED, stream=False).text()
    except openai.NotFoundError as error:
        return error.code
