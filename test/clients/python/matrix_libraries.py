"""What the matrix of clients asks Python's libraries for one call of a model for; matrix_frameworks.py has others, matrix_agents.py those for agents."""

import json

from matrix import MODEL, QUESTION, REVIEW_FORMAT, TOOL, TOOL_QUESTION, UNSERVED, client, code_of, messages, review, shown, version  # noqa: F401


# smolagents


def smolagents_of(at, model=MODEL):
    from smolagents import OpenAIModel

    return OpenAIModel(model_id=model, api_base=f"{at['base']}/v1", api_key=at["key"], client_kwargs={"max_retries": 0})


def smolagents_chat(at):
    message = smolagents_of(at).generate(messages())
    told = shown(message.content, message.token_usage, "input_tokens", "output_tokens")
    return {**told, "cost": message.raw.usage.cost}


def smolagents_stream(at):
    from smolagents.models import agglomerate_stream_deltas

    message = agglomerate_stream_deltas(list(smolagents_of(at).generate_stream(messages())))
    return shown(message.content, message.token_usage, "input_tokens", "output_tokens")


def smolagents_tools(at):
    from smolagents import tool

    @tool
    def get_weather(city: str) -> str:
        """Tells the weather.

        Args:
            city: Where.
        """
        return "sunny"

    return smolagents_of(at).generate(messages(TOOL_QUESTION), tools_to_call_from=[get_weather]).tool_calls[0].function.name


def smolagents_structured(at):
    return json.loads(smolagents_of(at).generate(messages(), response_format=REVIEW_FORMAT).content)


def smolagents_errors(at):
    return code_of(lambda: smolagents_of(at, UNSERVED).generate(messages()))


# dspy


def dspy_of(at, model=MODEL):
    import dspy

    return dspy.LM(f"openai/{model}", api_base=f"{at['base']}/v1", api_key=at["key"], num_retries=0, cache=False)


def dspy_chat(at):
    lm = dspy_of(at)
    text = lm(QUESTION)[0]
    usage = lm.history[-1]["usage"]
    return {"text": text, "input": usage.get("prompt_tokens"), "output": usage.get("completion_tokens"), "cost": lm.history[-1]["cost"]}


def dspy_errors(at):
    from dspy.utils.exceptions import LMError

    try:
        dspy_of(at, UNSERVED)(QUESTION)
    except LMError as error:
        return error.provider_code


# chatlas


def chatlas_of(at, model=MODEL):
    from chatlas import ChatOpenAICompletions

    return ChatOpenAICompletions(base_url=f"{at['base']}/v1", api_key=at["key"], model=model, kwargs={"max_retries": 0})


def chatlas_asked(at, stream):
    chat = chatlas_of(at)
    text = str(chat.chat(QUESTION, echo="none", stream=stream))
    turn = chat.get_last_turn()
    return {"text": text, "input": turn.tokens[0] + turn.tokens[2], "output": turn.tokens[1], "cost": getattr(turn.completion.usage, "cost", None)}


def chatlas_chat(at):
    return chatlas_asked(at, False)


def chatlas_stream(at):
    return chatlas_asked(at, True)


def chatlas_tools(at):
    called = []

    def get_weather(city: str) -> str:
        """Tells the weather"""
        called.append("get_weather")
        return "sunny"

    chat = chatlas_of(at)
    chat.register_tool(get_weather)
    chat.chat(TOOL_QUESTION, echo="none")
    return called[0]


def chatlas_structured(at):
    return chatlas_of(at).chat_structured(QUESTION, data_model=review()).model_dump()


def chatlas_errors(at):
    return code_of(lambda: chatlas_of(at, UNSERVED).chat(QUESTION, echo="none"))


# aisuite


def aisuite_call(at, model=MODEL, **more):
    import aisuite

    suite = aisuite.Client({"openai": {"base_url": f"{at['base']}/v1", "api_key": at["key"], "max_retries": 0}})
    return suite.chat.completions.create(**{"model": f"openai:{model}", "messages": messages(), **more})


def aisuite_chat(at):
    answer = aisuite_call(at)
    return shown(answer.choices[0].message.content, answer.usage, "prompt_tokens", "completion_tokens")


def aisuite_stream(at):
    chunks = list(aisuite_call(at, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return shown(text, chunks[-1].usage, "prompt_tokens", "completion_tokens")


def aisuite_tools(at):
    return aisuite_call(at, messages=messages(TOOL_QUESTION), tools=[TOOL]).choices[0].message.tool_calls[0].function.name


def aisuite_structured(at):
    return json.loads(aisuite_call(at, response_format=REVIEW_FORMAT).choices[0].message.content)


def aisuite_errors(at):
    return code_of(lambda: aisuite_call(at, UNSERVED))
