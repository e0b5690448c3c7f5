"""Keeps random traffic meaningful: what exists only here (models, voices, recordings, sessions) takes the place of random text.

What the schema can say is said there. A case is changed where Schemathesis looks again at what is valid in it (`before_call`).
"""

import atexit
import io
import itertools
import json
import os
import re
import wave
import zlib
from pathlib import Path
from urllib.request import urlopen

import requests
import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import is_unexpected_http_status_case

# Every request comes from a client of its own, behind the one proxy that the gateway trusts: limits by address stay on and
# don't stop the run. Below Schemathesis, which would take a header of the case for invalid data.
clients = itertools.count()
totals = {"requests": 0, "cases": 0, "checks": 0}
send = requests.Session.send


def send_as_another_client(session, request, **kwargs):
    n = next(clients)
    totals["requests"] += 1
    request.headers["X-Forwarded-For"] = f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
    return send(session, request, **kwargs)


requests.Session.send = send_as_another_client
atexit.register(lambda: Path("totals.json").write_text(json.dumps(totals)))


def read(path):
    with urlopen(f"{os.environ['SVC_URL']}{path}") as answer:
        return json.load(answer)


def ids(**filters):
    return [row["id"] for row in rows if all(row.get(name) == value for name, value in filters.items())]


listing = read("/v1/models")
rows = listing["data"]
aliases = listing["aliases"]


def named(*of):
    return sorted(of) + sorted(alias for alias, model in aliases.items() if model in of)


language = named(*ids(type="language"))
models = {
    "createChatCompletion": language,
    "createMessage": language,
    "countMessageTokens": language,
    "createCompletion": language,
    "createResponse": language,
    "createEmbeddings": named(*ids(type="embedding")),
    "createRerank": named(*ids(type="reranking")),
    "createImage": named(*ids(type="image")),
    "createVideo": ids(type="video"),
    "runGenmedia": named(*ids(type="image"), *ids(type="video")),
    "createTranscription": named(*ids(type="transcription")),
    "createSpeech": [id for id in ids(type="speech") if not any(word in id for word in ("music", "song", "sound", "voice"))],
    "createMusic": ["lyra/music", "verse/song"],
    "createSoundEffect": ["lyra/sound-effects"],
    "cloneVoice": ["mimir/voice-clone"],
    "designVoice": ["mimir/voice-design"],
}
recordings = [path.read_bytes() for path in sorted(Path(os.environ["SVC_RECORDINGS"]).glob("tone.*"))]


def long_recording():
    """A voice is made from 10 seconds at least."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(n % 251 for n in range(2 * 8000 * 12)))
    return file.getvalue()


voice_recordings = [long_recording()]


made_keys = []


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Schemathesis doesn't look behind the `$ref` of a form for its files, and sends them as texts."""
    schemas = raw_schema["components"]["schemas"]
    for item in raw_schema["paths"].values():
        for operation in item.values():
            form = operation.get("requestBody", {}).get("content", {}).get("multipart/form-data")
            if form is not None and "$ref" in form["schema"]:
                form["schema"] = schemas[form["schema"]["$ref"].split("/")[-1]]


def chosen(options, value):
    """The same for the same value, so that a case shrinks and repeats."""
    return options[zlib.crc32(repr(value).encode()) % len(options)]


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    positive = case.meta is not None and case.meta.generation.mode.is_positive
    if isinstance(case.body, dict):
        name_what_exists(operation, case)
    if operation == "signOut" and os.environ["SVC_SESSION"] in case.cookies.values():
        use_other_session(case)
    if operation in ("updateApiKey", "deleteApiKey"):
        choose_key(operation, case)
    if not positive:
        judge_unknown_parameters(case)


def name_what_exists(operation, case):
    body = case.body
    if operation in models and isinstance(body.get("model"), str) and body["model"] not in models[operation]:
        body["model"] = chosen(models[operation], body["model"])
    if isinstance(body.get("audio_url"), str):
        body["audio_url"] = os.environ["SVC_AUDIO_URL"]
    if case.media_type == "multipart/form-data":
        fill_form(operation, case)


def fill_form(operation, case):
    """A recording in place of random bytes."""
    body = case.body
    for name, value in body.items():
        text = getattr(value, "data", value)
        if text in (b"True", b"False"):  # as Python writes them
            body[name] = text.lower()
    if isinstance(body.get("file"), (bytes, str)):
        body["file"] = chosen(voice_recordings if operation == "cloneVoice" else recordings, body["file"])
        unseen(case, ParameterLocation.BODY)


def use_other_session(case):
    """The run's own would be gone."""
    with urlopen(os.environ["SVC_CONTROL"]) as answer:
        session = json.load(answer)
    for name, value in case.cookies.items():
        if value == os.environ["SVC_SESSION"]:
            case.cookies[name] = session["session_token"]
    if case.headers.get("X-Svc-CSRF") == os.environ["SVC_CSRF"]:
        case.headers["X-Svc-CSRF"] = session["csrf_token"]
    unseen(case, ParameterLocation.COOKIE, ParameterLocation.HEADER)


def unseen(case, *locations):
    """Schemathesis would judge anew what has changed, and wrongly: bytes and credentials. `case.meta` would look first."""
    if case._meta is not None:
        for location in locations:
            case._meta.update_validated_hash(location, case._hash_container(case.get_container(location)))


def choose_key(operation, case):
    """Mostly one that was made in this run, and is there; never the one that the run itself calls with."""
    given = str((case.path_parameters or {}).get("key"))
    if made_keys and chosen(range(3), given) > 0:
        case.path_parameters["key"] = made_keys.pop(0) if operation == "deleteApiKey" else made_keys[0]
    elif given in os.environ["SVC_KEY_NAMES"].split():
        case.path_parameters["key"] = os.environ["SVC_SPARE_KEY"]


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.definition.raw.get("operationId") == "createApiKey" and response.status_code == 200:
        made_keys.append(response.json()["id"])


def judge_unknown_parameters(case):
    """Unknown query parameters are ignored, as in most APIs, and Schemathesis lets that pass; but it compares the text of a number
    beside them with its type, and takes that for the fault. So they come alone."""
    schema = case.operation.query.schema.get("properties", {})
    if isinstance(case.query, dict) and any(name not in schema for name in case.query):
        for name in list(case.query):
            kind = schema.get(name, {}).get("type")
            if kind in ("integer", "number", "boolean"):
                del case.query[name]


# Refusals that Schemathesis takes for a sound answer to a valid request.
usual = (401, 403, 404, 409)


@schemathesis.check
def refusal_codes(ctx, response, case):
    """A valid request is refused for no other reason than those that schemathesis.toml gives for its operation."""
    totals["cases"] += 1
    totals["checks"] += len(ctx._checks)
    if case.meta is None or not case.meta.generation.mode.is_positive or is_unexpected_http_status_case(case):
        return
    if not 400 <= response.status_code < 500 or response.status_code in usual:
        return
    codes = ctx.config.custom_kwargs.get("refusal_codes", {}).get("codes", [])
    found = refusal_of(response.json())
    if not any(matches(found, code) for code in codes):
        raise Failure(operation=case.operation.label, title="Refused for another reason", message=f"{found} is none of {codes}")


def refusal_of(body):
    error = body.get("error")
    if not isinstance(error, dict):
        return body.get("details", {}).get("code", "")
    param = re.sub(r"\d+", "N", error.get("param") or "")
    return f"{error.get('code') or error.get('type')} {param}".strip()


def matches(found, code):
    return found == code or (code.endswith("*") and found.startswith(code[:-1].rstrip()))
