"""What the matrix of clients (../matrix) asks Python's clients for: one function for a client and a column, each with its own imports.

A function gives what a program sees in the client's own members: text and tokens, the cost where there is one, a tool's name, a value.
"""

import importlib.metadata
import threading

MODEL = "plain/chat"
EMBEDDER = "vectors/small"
UNSERVED = "none/such"
QUESTION = "Tell me about the sea."
TOOL_QUESTION = "Call get_weather, please."
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
REVIEW = {"type": "object", "properties": {"title": {"type": "string"}, "stars": {"type": "integer"}}, "required": ["title", "stars"], "additionalProperties": False}
REVIEW_FORMAT = {"type": "json_schema", "json_schema": {"name": "review", "schema": REVIEW, "strict": True}}
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "Tells the weather", "parameters": CITY}}


def messages(content=QUESTION):
    return [{"role": "user", "content": content}]


def client(base, key, on_reply):
    return {"base": base, "key": key}


def refusal_of(call, code_of_body=None):
    """What the client's own type of errors has of a refusal."""
    try:
        call()
    except Exception as error:
        code = error.code if code_of_body is None else code_of_body(error.body)
        return {"type": type(error).__name__, "status": error.status_code, "code": code}


def version(at, packages):
    return " · ".join(importlib.metadata.version(package) for package in packages)


def shown(text, usage, read, written):
    more = {} if usage is None else {"input": getattr(usage, read), "output": getattr(usage, written), "cost": getattr(usage, "cost", None)}
    return {"text": text, **more}


def code_of(call):
    """The code of OpenAI's client, on what is raised or on what stands behind it."""
    import openai

    try:
        call()
    except Exception as raised:
        behind = [raised]
        for error in behind:
            if isinstance(error, openai.NotFoundError):
                return error.code
            behind += [one for one in (error.__cause__, error.__context__) if one is not None and one not in behind]
    return None


# openai


def openai_of(at):
    import openai

    return openai.OpenAI(base_url=f"{at['base']}/v1", api_key=at["key"], max_retries=0)


def openai_chat(at):
    answer = openai_of(at).chat.completions.create(model=MODEL, messages=messages())
    return shown(answer.choices[0].message.content, answer.usage, "prompt_tokens", "completion_tokens")


def openai_stream(at):
    chunks = list(openai_of(at).chat.completions.create(model=MODEL, messages=messages(), stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return shown(text, chunks[-1].usage, "prompt_tokens", "completion_tokens")


def openai_tools(at):
    answer = openai_of(at).chat.completions.create(model=MODEL, messages=messages(TOOL_QUESTION), tools=[TOOL])
    return answer.choices[0].message.tool_calls[0].function.name


def openai_structured(at):
    answer = openai_of(at).chat.completions.parse(model=MODEL, messages=messages(), response_format=review())
    return answer.choices[0].message.parsed.model_dump()


def openai_embeddings(at):
    return len(openai_of(at).embeddings.create(model=EMBEDDER, input="sea").data[0].embedding)


def openai_errors(at):
    import openai

    try:
        openai_of(at).chat.completions.create(model=UNSERVED, messages=messages())
    except openai.NotFoundError as error:
        return error.code


def openai_refused(at, model):
    return refusal_of(lambda: openai_of(at).chat.completions.create(model=model, messages=messages()))


def openai_models(at):
    return [model.id for model in openai_of(at).models.list()]


def openai_batch(at, line):
    client = openai_of(at)
    uploaded = client.files.create(file=("requests.jsonl", line.encode()), purpose="batch")
    batch = client.batches.create(input_file_id=uploaded.id, endpoint="/v1/chat/completions", completion_window="24h")
    while batch.status not in ("completed", "failed", "expired", "cancelled"):
        threading.Event().wait(0.1)  # driver.py takes time.sleep away
        batch = client.batches.retrieve(batch.id)
    return client.files.content(batch.output_file_id).text


def review():
    from pydantic import BaseModel

    class Review(BaseModel):
        title: str
        stars: int

    return Review


def responses_chat(at):
    answer = openai_of(at).responses.create(model=MODEL, input=QUESTION, store=False)
    return shown(answer.output_text, answer.usage, "input_tokens", "output_tokens")


def responses_stream(at):
    with openai_of(at).responses.stream(model=MODEL, input=QUESTION, store=False) as events:
        for _ in events:
            pass
        final = events.get_final_response()
    return shown(final.output_text, final.usage, "input_tokens", "output_tokens")


def responses_tools(at):
    tool = {"type": "function", "name": "get_weather", "parameters": CITY, "strict": False}
    answer = openai_of(at).responses.create(model=MODEL, input=TOOL_QUESTION, store=False, tools=[tool])
    return next(item.name for item in answer.output if item.type == "function_call")


def responses_structured(at):
    return openai_of(at).responses.parse(model=MODEL, input=QUESTION, text_format=review(), store=False).output_parsed.model_dump()


def responses_errors(at):
    import openai

    try:
        openai_of(at).responses.create(model=UNSERVED, input=QUESTION)
    except openai.NotFoundError as error:
        return error.code


# anthropic


def anthropic_of(at):
    import anthropic

    return anthropic.Anthropic(base_url=at["base"], api_key=at["key"], max_retries=0)


def message_of(answer):
    text = "".join(block.text for block in answer.content if block.type == "text")
    return shown(text, answer.usage, "input_tokens", "output_tokens")


def anthropic_chat(at):
    return message_of(anthropic_of(at).messages.create(model=MODEL, max_tokens=500, messages=messages()))


def anthropic_stream(at):
    with anthropic_of(at).messages.stream(model=MODEL, max_tokens=500, messages=messages()) as events:
        return message_of(events.get_final_message())


def anthropic_tools(at):
    tools = [{"name": "get_weather", "input_schema": CITY}]
    answer = anthropic_of(at).messages.create(model=MODEL, max_tokens=500, messages=messages(TOOL_QUESTION), tools=tools)
    return next(block.name for block in answer.content if block.type == "tool_use")


def anthropic_structured(at):
    answer = anthropic_of(at).messages.parse(model=MODEL, max_tokens=500, messages=messages(), output_format=review())
    return answer.parsed_output.model_dump()


def anthropic_errors(at):
    import anthropic

    try:
        anthropic_of(at).messages.create(model=UNSERVED, max_tokens=500, messages=messages())
    except anthropic.NotFoundError as error:
        return error.body["error"]["details"]["error_code"]


def anthropic_refused(at, model):
    call = lambda: anthropic_of(at).messages.create(model=model, max_tokens=500, messages=messages())
    return refusal_of(call, lambda body: body["error"]["details"]["error_code"])


def anthropic_models(at):
    return [model.id for model in anthropic_of(at).models.list()]


# svc-sdk, generated


def svc_request(**more):
    from svc_sdk.models import ChatRequest

    return ChatRequest.from_dict({"model": MODEL, "messages": messages(), **more})


def svc_call(at, request):
    from svc_sdk import connect
    from svc_sdk.api.language import create_chat_completion

    return create_chat_completion.sync(client=connect(at["base"], at["key"]), body=request)


def svc_chat(at):
    answer = svc_call(at, svc_request())
    return shown(answer.choices[0].message.content, answer.usage, "prompt_tokens", "completion_tokens")


def svc_stream(at):
    from svc_sdk import connect, stream

    request = svc_request(stream_options={"include_usage": True})
    events = list(stream(connect(at["base"], at["key"]), "/v1/chat/completions", request))
    text = "".join(event["choices"][0]["delta"].get("content") or "" for event in events if event["choices"])
    usage = events[-1]["usage"]
    return {"text": text, "input": usage["prompt_tokens"], "output": usage["completion_tokens"], "cost": usage["cost"]}


def svc_tools(at):
    answer = svc_call(at, svc_request(messages=messages(TOOL_QUESTION), tools=[TOOL]))
    return answer.choices[0].message.tool_calls[0].function.name


def svc_embeddings(at):
    from svc_sdk import connect
    from svc_sdk.api.language import create_embeddings
    from svc_sdk.models import EmbeddingRequest

    request = EmbeddingRequest.from_dict({"model": EMBEDDER, "input": "sea"})
    return len(create_embeddings.sync(client=connect(at["base"], at["key"]), body=request).data[0].embedding)


def svc_errors(at):
    from svc_sdk import ApiError

    try:
        svc_call(at, svc_request(model=UNSERVED))
    except ApiError as error:
        return error.code


def svc_refused(at, model):
    return refusal_of(lambda: svc_call(at, svc_request(model=model)))


def svc_models(at):
    from svc_sdk import connect
    from svc_sdk.api.catalog import list_models

    return [model.id for model in list_models.sync(client=connect(at["base"], at["key"])).data]
