"""What Python programs do with the openai package and a chat endpoint, one function a habit."""

import asyncio

import openai
from pydantic import BaseModel

SEA = [{"role": "user", "content": "Tell me about the sea."}]
USAGE = {"stream_options": {"include_usage": True}}


class Review(BaseModel):
    title: str
    stars: int
    tags: list[str]


class Weather(BaseModel):
    """The weather of a city"""

    city: str


def client(base, key, on_reply):
    # Statuses are noted below the client's own retries.
    http = openai.DefaultHttpxClient(event_hooks={"response": [on_reply]})
    return openai.OpenAI(base_url=f"{base}/v1", api_key=key, http_client=http)


def tool(name, strict=False):
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": f"Tells {name}", "parameters": city, "strict": strict}}


TOOLS = [tool("get_weather"), tool("get_time")]
CALL_BOTH = [{"role": "user", "content": "Call get_weather and get_time, please."}]


def chat(client, model, **more):
    return client.chat.completions.create(model=model, messages=SEA, **more).to_dict()


def raw(client, model):
    """The headers, and the request id that the package itself shows."""
    response = client.chat.completions.with_raw_response.create(model=model, messages=SEA)
    parsed = response.parse()
    return {"headers": dict(response.headers), "request_id": response.request_id, "own": parsed._request_id, "retries": response.retries_taken}


def stream(client, model, **more):
    chunks = list(client.chat.completions.create(model=model, messages=SEA, stream=True, **more))
    return {
        "text": "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
        "reasoning": "".join(getattr(chunk.choices[0].delta, "reasoning_content", None) or "" for chunk in chunks if chunk.choices),
        "finish": [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason],
        "usage": [chunk.usage.to_dict() for chunk in chunks if chunk.usage],
        "without_choices": sum(1 for chunk in chunks if not chunk.choices),
        "ids": list({chunk.id for chunk in chunks}),
        "models": list({chunk.model for chunk in chunks}),
    }


def helper(client, model):
    """The helper with its events; it throws at any chunk that isn't in the strict form."""
    with client.chat.completions.stream(model=model, messages=SEA, **USAGE) as events:
        names = {event.type for event in events}
        final = events.get_final_completion()
    return {"events": sorted(names), "final": final.to_dict()}


def helper_tools(client, model, strict):
    tools = [tool("get_weather", strict), tool("get_time", strict)]
    whole = client.chat.completions.create(model=model, messages=CALL_BOTH, tools=tools)
    with client.chat.completions.stream(model=model, messages=CALL_BOTH, tools=tools) as events:
        done = [event.name for event in events if event.type == "tool_calls.function.arguments.done"]
        final = events.get_final_completion()

    def calls(completion):
        return [{"id": call.id, "name": call.function.name, "arguments": call.function.arguments} for call in completion.choices[0].message.tool_calls]

    return {"whole": calls(whole), "streamed": calls(final), "done": done, "finish": final.choices[0].finish_reason}


def tool_loop(client, model):
    """Calls, runs them, answers them: until there are no more."""
    messages = list(CALL_BOTH)
    names = []
    for _ in range(4):
        message = client.chat.completions.create(model=model, messages=messages, tools=TOOLS).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return {"names": names, "text": message.content, "roles": [m["role"] if isinstance(m, dict) else m.role for m in messages]}
        for call in message.tool_calls:
            names.append(call.function.name)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny"})


def parse(client, model):
    completion = client.chat.completions.parse(model=model, messages=SEA, response_format=Review)
    return {"type": type(completion.choices[0].message.parsed).__name__, "value": completion.choices[0].message.parsed.model_dump()}


def parse_stream(client, model):
    with client.chat.completions.stream(model=model, messages=SEA, response_format=Review) as events:
        return events.get_final_completion().choices[0].message.parsed.model_dump()


def parse_tool(client, model):
    ask = [{"role": "user", "content": "What is the weather?"}]
    completion = client.chat.completions.parse(
        model=model, messages=ask, tools=[openai.pydantic_function_tool(Weather, name="get_weather")]
    )
    return completion.choices[0].message.tool_calls[0].function.parsed_arguments.model_dump()


def interrupted(client, model):
    """What a program has when the stream breaks: the text so far, and an error with a code."""
    text = ""
    try:
        for chunk in client.chat.completions.create(model=model, messages=SEA, stream=True):
            text += chunk.choices[0].delta.content or ""
    except openai.APIError as error:
        return {"text": text, "class": type(error).__name__, "code": error.code, "type": error.type, "body": error.body}


def leave(client, model, after):
    """Closes the stream after some chunks with text."""
    said = 0
    with client.chat.completions.create(model=model, messages=SEA, stream=True) as chunks:
        for chunk in chunks:
            said += bool(chunk.choices[0].delta.content)
            if said == after:
                break
    return said


def asynchronous(client, model, after):
    """The same package under asyncio: several calls at once, and a stream whose task is cancelled."""

    async def run():
        async with openai.AsyncOpenAI(base_url=str(client.base_url), api_key=client.api_key) as other:
            answers = await asyncio.gather(
                *(other.chat.completions.create(model="plain/chat", messages=[{"role": "user", "content": word}]) for word in ("one", "two"))
            )
            seen = asyncio.Event()

            async def read():
                said = 0
                async for chunk in await other.chat.completions.create(model=model, messages=SEA, stream=True):
                    said += bool(chunk.choices[0].delta.content)
                    if said == after:
                        seen.set()

            task = asyncio.create_task(read())
            await seen.wait()
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                cancelled = True
        return {"texts": [answer.choices[0].message.content for answer in answers], "cancelled": cancelled}

    return asyncio.run(run())


def models(client):
    listed = client.models.list()
    one = client.models.retrieve("plain/chat")
    return {"ids": [model.id for model in listed], "object": listed.object, "one": {"id": one.id, "object": one.object, "created": one.created}}
