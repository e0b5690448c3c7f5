"""What Python programs do with the anthropic package and /v1/messages, one function a habit. Runs with 1.x and 2.x."""

import anthropic
from pydantic import BaseModel

SEA = [{"role": "user", "content": "Tell me about the sea."}]
CALL_BOTH = [{"role": "user", "content": "Call get_weather and get_time, please."}]


class Review(BaseModel):
    title: str
    stars: int
    tags: list[str]


def client(base, key, on_reply):
    http = anthropic.DefaultHttpxClient(event_hooks={"response": [on_reply]})
    return anthropic.Anthropic(base_url=base, api_key=key, http_client=http)


def tool(name):
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {"name": name, "description": f"Tells {name}", "input_schema": city}


TOOLS = [tool("get_weather"), tool("get_time")]


def version(client):
    return anthropic.__version__


def message(client, model, **more):
    return client.messages.create(model=model, max_tokens=500, messages=SEA, **more).to_dict()


def raw(client, model):
    response = client.messages.with_raw_response.create(model=model, max_tokens=500, messages=SEA)
    return {"headers": dict(response.headers), "own": response.parse()._request_id}


def events(client, model, **more):
    """The events as they come, by `stream: true`."""
    told = list(client.messages.create(model=model, max_tokens=500, messages=SEA, stream=True, **more))
    return [event.type for event in told]


def stream(client, model, **more):
    """The helper, which puts the message together."""
    with client.messages.stream(model=model, max_tokens=500, messages=SEA, **more) as events:
        text = "".join(events.text_stream)
        return {"text": text, "final": events.get_final_message().to_dict()}


def tool_loop(client, model, streamed):
    messages = list(CALL_BOTH)
    names = []
    for _ in range(4):
        request = {"model": model, "max_tokens": 500, "messages": messages, "tools": TOOLS}
        if streamed:
            with client.messages.stream(**request) as events:
                answer = events.get_final_message()
        else:
            answer = client.messages.create(**request)
        calls = [block for block in answer.content if block.type == "tool_use"]
        messages.append({"role": "assistant", "content": answer.content})
        if answer.stop_reason != "tool_use":
            return {"names": names, "text": "".join(block.text for block in answer.content if block.type == "text")}
        names += [call.name for call in calls]
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls]})


def parse(client, model):
    parsed = client.messages.parse(model=model, max_tokens=500, messages=SEA, output_format=Review)
    return {"type": type(parsed.parsed_output).__name__, "value": parsed.parsed_output.model_dump()}


def count(client, model):
    return client.messages.count_tokens(model=model, messages=SEA).to_dict()


def interrupted(client, model):
    text = ""
    try:
        with client.messages.stream(model=model, max_tokens=500, messages=SEA) as events:
            for piece in events.text_stream:
                text += piece
    except anthropic.APIError as error:
        return {"text": text, "class": type(error).__name__, "body": error.body, "request_id": getattr(error, "request_id", None)}


def leave(client, model, after):
    said = 0
    with client.messages.create(model=model, max_tokens=500, messages=SEA, stream=True) as events:
        for event in events:
            said += event.type == "content_block_delta"
            if said == after:
                break
    return said


def models(client):
    return [{"id": model.id, "type": model.type, "name": model.display_name} for model in client.models.list()]
