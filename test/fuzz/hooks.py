"""Keeps random traffic meaningful: what exists only here (models, voices, recordings, sessions) takes the place of random text.

What the schema can say is said there. A case is changed where Schemathesis looks again at what is valid in it (`before_call`).
"""

import atexit
import collections
import hmac
import io
import itertools
import json
import os
import re
import time
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
own_session = f"Bearer {os.environ['SVC_SESSION']}"
sessions = {
    os.environ["SVC_SESSION"]: {"cookie": os.environ["SVC_COOKIE"], "csrf_token": os.environ["SVC_CSRF"]},
}
totals = {"requests": 0, "cases": 0, "checks": 0}
send = requests.Session.send


def send_as_another_client(session, request, **kwargs):
    n = next(clients)
    totals["requests"] += 1
    request.headers["X-Forwarded-For"] = f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"
    send_as_cookie(request, n)
    sign_event(request)
    return send(session, request, **kwargs)


def send_as_cookie(request, n):
    """Every third time a session comes as a browser sends it."""
    session = sessions.get(request.headers.get("Authorization", "").removeprefix("Bearer "))
    if session is not None and n % 3 == 0:
        del request.headers["Authorization"]
        request.headers["Cookie"] = session["cookie"]
        request.headers["X-Svc-CSRF"] = session["csrf_token"]


def sign_event(request):
    """Three of four payment events are signed as Stripe does, over their very bytes."""
    body = request.body
    if request.path_url.endswith("/webhooks/stripe") and "stripe-signature" in request.headers and isinstance(body, bytes) and body[-2:-1] != b"0":
        now = int(time.time())
        mac = hmac.new(os.environ["SVC_STRIPE_SECRET"].encode(), f"{now}.".encode() + body, "sha256").hexdigest()
        request.headers["stripe-signature"] = f"t={now},v1={mac}"


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
    "countResponseTokens": language,
    "compactResponse": language,
    "createEmbeddings": named(*ids(type="embedding")),
    "createRerank": named(*ids(type="reranking")),
    "createImage": named(*ids(type="image")),
    "createImageEdit": named(*ids(type="image")),
    "createImageVariation": named(*ids(type="image")),
    "createVideo": ids(type="video"),
    "runGenmedia": named(*ids(type="image"), *ids(type="video")),
    "createTranscription": named(*ids(type="transcription")),
    "createTranslation": ids(type="transcription"),
    "createSpeech": [id for id in ids(type="speech") if not any(word in id for word in ("music", "song", "sound", "voice"))],
    "createMusic": ["lyra/music", "verse/song"],
    "createSoundEffect": ["lyra/sound-effects"],
    "cloneVoice": ["mimir/voice-clone"],
    "designVoice": ["mimir/voice-design"],
}
kinds = ("mp3", "wav", "m4a", "ogg", "webm", "flac")
recordings = [Path(os.environ["SVC_RECORDINGS"], f"tone.{kind}").read_bytes() for kind in kinds]


def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


picture = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes.fromhex("00000001000000010800000000"))
picture += chunk(b"IDAT", zlib.compress(b"\x00\xff")) + chunk(b"IEND", b"")


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
people = itertools.count()
asked = collections.Counter()


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
    if "X-Workspace-Id" in case.headers:  # any text is the id of no workspace, and would refuse all else
        del case.headers["X-Workspace-Id"]
        unseen(case, ParameterLocation.HEADER)
    if operation == "signOut" and case.headers.get("Authorization") == own_session:
        use_other_session(case)
    if operation in ("updateApiKey", "deleteApiKey", "rollApiKey"):
        choose_key(operation, case)
    if operation in ("startSignIn", "signInWithProvider") and chosen(range(4), case.path_parameters) > 0:
        if re.fullmatch("[a-z0-9-]{1,40}", str(case.path_parameters.get("provider"))):
            case.path_parameters["provider"] = "sso"
    if "/operator/accounts/{id}" in case.operation.path and chosen(range(4), case.path_parameters) > 0:
        case.path_parameters["id"] = os.environ["SVC_OTHER_ACCOUNT"]
    if operation == "disableProvider" and re.fullmatch("[a-z0-9-]{1,40}", str(case.path_parameters.get("id"))):
        case.path_parameters["id"] = "idle"  # else calls would be 503 meanwhile
    if operation == "updateOperatorSettings" and isinstance(case.body, dict) and case.body.get("sign_up") in ("invite", "closed"):
        case.body["sign_up"] = "open"  # else nobody could sign up meanwhile
    spell_booleans(case)
    if not positive:
        judge_unknown_parameters(case)
        leave_out_credentials(case)


def name_what_exists(operation, case):
    body = case.body
    if operation == "createQuote":
        operation = str(body.get("operation"))
        body = body["body"] if isinstance(body.get("body"), dict) else body
    if operation in models and isinstance(body.get("model"), str) and body["model"] not in models[operation]:
        body["model"] = chosen(models[operation], body["model"])
    if isinstance(body.get("audio_url"), str):
        body["audio_url"] = os.environ["SVC_AUDIO_URL"]
    if isinstance(body.get("email"), str):
        spread_address(body)
    if case.media_type == "multipart/form-data":
        fill_form(operation, case)


def spread_address(body):
    """The example's address, those of earlier answers and the shortest ones come again and again, and so does any that an example is
    made of anew; but so often a minute nobody may ask about one."""
    n = next(people)
    email = body["email"]
    asked[email.lower()] += 1
    common = re.fullmatch(r"[\w.-]{1,20}@[\w.-]{1,12}", email, re.ASCII) and n % 8 > 0
    worn = asked[email.lower()] > 40 and re.fullmatch(r"[!#-'*+\-./0-9=?A-Z^-~]+@[!#-'*+\-./0-9=?A-Z^-~]+", email) and len(email) <= 254
    if common or worn:
        body["email"] = f"ada-{n % 1000}@example.com"


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
    for name in ("image", "mask"):
        if name in body and operation in ("createImageEdit", "createImageVariation"):
            body[name] = [picture for _ in body[name]] if isinstance(body[name], list) else picture
            unseen(case, ParameterLocation.BODY)


def use_other_session(case):
    """The run's own would be gone."""
    with urlopen(os.environ["SVC_CONTROL"]) as answer:
        session = json.load(answer)
    sessions[session["session_token"]] = session
    case.headers["Authorization"] = f"Bearer {session['session_token']}"
    unseen(case, ParameterLocation.HEADER)


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


def spell_booleans(case):
    """As JSON does, not as Python."""
    if isinstance(case.query, dict) and any(isinstance(value, bool) for value in case.query.values()):
        for name, value in case.query.items():
            if isinstance(value, bool):
                case.query[name] = str(value).lower()
        unseen(case, ParameterLocation.QUERY)


def leave_out_credentials(case):
    """Of headers that stand for each other (a token, or a cookie with its CSRF header) Schemathesis leaves out all, and then adds a token."""
    data = case.meta.phase.data if case.meta is not None else None
    mutations = getattr(data, "mutations", ())
    if getattr(data, "parameter_location", None) == ParameterLocation.HEADER and any("required" in one.keywords for one in mutations):
        if case.headers.pop("Authorization", None) is not None:
            unseen(case, ParameterLocation.HEADER)


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
    if response.status_code == 413 and len(response.request.body or b"") > case.operation.definition.raw.get("x-body-limit", 25 * 2**20):
        return
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
