"""Transcripts and speech, as Python programs use them with the openai package."""

import io

from openai_chat import client  # noqa: F401  (the driver takes `client` from here)


def plain(answer):
    return answer if isinstance(answer, str) else answer.to_dict()


def transcribe(client, path, model, **more):
    with open(path, "rb") as file:
        return plain(client.audio.transcriptions.create(model=model, file=file, **more))


def transcribe_bytes(client, path, model, name):
    """A file that was never one: bytes with a name, and bytes in memory."""
    with open(path, "rb") as file:
        content = file.read()
    memory = io.BytesIO(content)
    memory.name = name
    return [client.audio.transcriptions.create(model=model, file=one).text for one in ((name, content), memory)]


def typed(client, path, model):
    """What the package's own types make of verbose_json."""
    with open(path, "rb") as file:
        answer = client.audio.transcriptions.create(model=model, file=file, response_format="verbose_json", timestamp_granularities=["segment"])
    return {"type": type(answer).__name__, "language": answer.language, "duration": answer.duration, "seeks": [segment.seek for segment in answer.segments]}


def speak(client, path, model, **more):
    answer = client.audio.speech.create(model=model, voice="alloy", input=more.pop("text"), **more)
    answer.write_to_file(path)
    return dict(answer.response.headers)


def speak_streaming(client, path, model, text, **more):
    with client.audio.speech.with_streaming_response.create(model=model, voice="alloy", input=text, **more) as response:
        response.stream_to_file(path)
        return dict(response.headers)
