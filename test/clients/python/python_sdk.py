"""What Python programs do with this gateway's own SDK (npm run sdk:python), one function a habit."""

import asyncio
import importlib
import inspect
import io
import pkgutil

import svc_sdk
import svc_sdk.api
from svc_sdk import astream, connect, stream
from svc_sdk.api.account import get_credit_balance
from svc_sdk.api.audio import create_speech, create_transcription
from svc_sdk.api.catalog import list_models
from svc_sdk.api.language import create_chat_completion, create_message
from svc_sdk.models import (
    ChatRequest,
    CompletionRequest,
    MessageRequest,
    ResponseRequest,
    SpeechRequest,
    TranscriptionForm,
)
from svc_sdk.streams import (
    astream_chat_completion,
    stream_chat_completion,
    stream_completion,
    stream_message,
    stream_response,
    stream_transcription,
)
from svc_sdk.types import File

SEA = [{"role": "user", "content": "Tell me about the sea."}]


def client(base, key, on_reply):
    made = connect(base, key)
    made._httpx_args["event_hooks"] = {"response": [on_reply]}
    return made


def chat(client, model, **more):
    body = ChatRequest.from_dict({"model": model, "messages": SEA, **more})
    answer = create_chat_completion.sync(client=client, body=body)
    return {"type": type(answer).__name__, "answer": answer.to_dict()}


def chat_async(client, model):
    async def run():
        plain = connect(client._base_url, client.token)
        async with plain:
            return await create_chat_completion.asyncio(
                client=plain, body=ChatRequest.from_dict({"model": model, "messages": SEA})
            )

    return asyncio.run(run()).to_dict()


def message(client, model):
    body = MessageRequest.from_dict({"model": model, "max_tokens": 500, "messages": SEA})
    return create_message.sync(client=client, body=body).to_dict()


def detailed(client, model):
    body = ChatRequest.from_dict({"model": model, "messages": SEA})
    reply = create_chat_completion.sync_detailed(client=client, body=body)
    return {"status": int(reply.status_code), "model": reply.headers["x-svc-model"]}


def streamed(client, model):
    body = ChatRequest.from_dict({"model": model, "messages": SEA, "stream_options": {"include_usage": True}})
    return list(stream(client, "/v1/chat/completions", body))


def streamed_async(client, model):
    async def run():
        async with connect(client._base_url, client.token) as plain:
            return [event async for event in astream(plain, "/v1/chat/completions", {"model": model, "messages": SEA})]

    return asyncio.run(run())


def seen(events):
    """Each kind of event, and all of them as they came."""
    events = list(events)
    return {"types": sorted({type(event).__name__ for event in events}), "events": [event.to_dict() for event in events]}


def typed_chat(client, model):
    return seen(stream_chat_completion(client, ChatRequest.from_dict({"model": model, "messages": SEA})))


def typed_chat_async(client, model):
    async def run():
        async with connect(client._base_url, client.token) as plain:
            body = ChatRequest.from_dict({"model": model, "messages": SEA})
            return [event async for event in astream_chat_completion(plain, body)]

    return seen(asyncio.run(run()))


def typed_completion(client, model):
    return seen(stream_completion(client, CompletionRequest.from_dict({"model": model, "prompt": "The sea"})))


def typed_message(client, model):
    body = MessageRequest.from_dict({"model": model, "max_tokens": 500, "messages": SEA})
    return seen(stream_message(client, body))


def typed_response(client, model):
    return seen(stream_response(client, ResponseRequest.from_dict({"model": model, "input": "Tell me about the sea."})))


def typed_transcript(client, model, transcriber):
    spoken = create_speech.sync(
        client=client, body=SpeechRequest.from_dict({"model": model, "voice": "alloy", "input": "Hello!"})
    )
    form = TranscriptionForm(model=transcriber, file=File(payload=io.BytesIO(spoken.payload.read()), file_name="hello.mp3"))
    return seen(stream_transcription(client, form))


def models(client):
    return [row.id for row in list_models.sync(client=client).data]


def balance(client):
    return get_credit_balance.sync(client=client).to_dict()


def speech_and_back(client, model, transcriber):
    spoken = create_speech.sync(
        client=client, body=SpeechRequest.from_dict({"model": model, "voice": "alloy", "input": "Hello!"})
    )
    sound = spoken.payload.read()
    form = TranscriptionForm(model=transcriber, file=File(payload=io.BytesIO(sound), file_name="hello.mp3"))
    return {"bytes": len(sound), "heard": create_transcription.sync(client=client, body=form).to_dict()}


def operations(client):
    """The modules of all operations, each with its four ways to be called."""
    found = []
    for package in pkgutil.iter_modules(svc_sdk.api.__path__, "svc_sdk.api."):
        for module in pkgutil.iter_modules(importlib.import_module(package.name).__path__, f"{package.name}."):
            loaded = importlib.import_module(module.name)
            assert inspect.iscoroutinefunction(loaded.asyncio_detailed)
            assert callable(loaded.sync_detailed)
            found.append(module.name.rsplit(".", 1)[1])
    return found
