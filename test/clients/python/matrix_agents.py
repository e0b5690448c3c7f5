"""What the matrix of clients asks Python's frameworks for agents for; matrix_libraries.py has what makes one call of a model."""

import asyncio

from matrix import MODEL, QUESTION, TOOL_QUESTION, UNSERVED, client, code_of, review, shown, version  # noqa: F401


# agno


def agno_of(at, model=MODEL, **more):
    from agno.agent import Agent
    from agno.models.openai.like import OpenAILike

    return Agent(model=OpenAILike(id=model, base_url=f"{at['base']}/v1", api_key=at["key"], max_retries=0), telemetry=False, **more)


def agno_shown(run):
    return shown(run.content, run.metrics, "input_tokens", "output_tokens")


def agno_chat(at):
    return agno_shown(agno_of(at).run(QUESTION))


def agno_stream(at):
    return agno_shown(list(agno_of(at).run(QUESTION, stream=True, yield_run_output=True))[-1])


def agno_tools(at):
    called = []

    def get_weather(city: str) -> str:
        """Tells the weather"""
        called.append("get_weather")
        return "sunny"

    agno_of(at, tools=[get_weather]).run(TOOL_QUESTION)
    return called[0]


def agno_structured(at):
    return agno_of(at, output_schema=review()).run(QUESTION).content.model_dump()


def agno_errors(at):
    import logging

    from agno.models.message import Message

    logging.getLogger("agno").setLevel(logging.CRITICAL)  # it logs to where the driver answers
    return code_of(lambda: agno_of(at, UNSERVED).model.response(messages=[Message(role="user", content=QUESTION)]))


# Microsoft's Agent Framework


def microsoft_of(at, model=MODEL, **more):
    from agent_framework import Agent
    from agent_framework.openai import OpenAIChatCompletionClient

    return Agent(OpenAIChatCompletionClient(model, base_url=f"{at['base']}/v1", api_key=at["key"]), **more)


def microsoft_run(agent, question=QUESTION, **more):
    async def run():
        return await agent.run(question, **more)

    return asyncio.run(run())


def microsoft_shown(response):
    usage = response.usage_details or {}
    return {"text": response.text, "input": usage.get("input_token_count"), "output": usage.get("output_token_count")}


def microsoft_chat(at):
    return microsoft_shown(microsoft_run(microsoft_of(at)))


def microsoft_stream(at):
    async def run():
        stream = microsoft_of(at).run(QUESTION, stream=True)
        async for _ in stream:
            pass
        return microsoft_shown(await stream.get_final_response())

    return asyncio.run(run())


def microsoft_tools(at):
    called = []

    def get_weather(city: str) -> str:
        """Tells the weather"""
        called.append("get_weather")
        return "sunny"

    microsoft_run(microsoft_of(at, tools=[get_weather]), TOOL_QUESTION)
    return called[0]


def microsoft_structured(at):
    return microsoft_run(microsoft_of(at), options={"response_format": review()}).value.model_dump()


def microsoft_errors(at):
    return code_of(lambda: microsoft_run(microsoft_of(at, UNSERVED)))
