# Writes the descriptions beside it: JSON Schemas of what vendors' own packages say their APIs take and answer, without prose.
#   python3 -m venv V && V/bin/pip install -r requirements.txt && V/bin/python take.py && npx prettier --write *.json
import inspect
import json
import typing
import warnings
from importlib import metadata, resources
from pathlib import Path

import anthropic.types
import cohere
import cohere.v2
import googleapiclient
import openai.types
from anthropic.types import message_count_tokens_params, message_create_params
from cohere.v2.raw_client import RawV2Client
from google.ai import generativelanguage_v1beta
from google.api import field_behavior_pb2
from google.genai import types as genai
from google.protobuf.descriptor import FieldDescriptor as Field
from openai.types import embedding_create_params
from openai.types.chat import ChatCompletion, ChatCompletionChunk, completion_create_params
from pydantic import TypeAdapter
from typing_extensions import NotRequired, TypedDict

warnings.simplefilter("ignore")


def write(name: str, package: str, what: str, roots: dict, defs: dict) -> None:
    source = f"{package} {metadata.version(package)}, {what}"
    licence = metadata.metadata(package).get("License-Expression") or metadata.metadata(package).get("License")
    roots = {key: tidy(schema) for key, schema in roots.items()}
    known = {key: tidy(schema) for key, schema in defs.items()}
    reached = {}
    waiting = list(references(roots))
    while waiting:
        key = waiting.pop()
        if key not in reached:
            reached[key] = known[key]
            waiting.extend(references(known[key]))
    body = {"source": source, "licence": licence, "roots": roots, "$defs": dict(sorted(reached.items()))}
    Path(__file__).with_name(f"{name}.json").write_text(json.dumps(body))


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].removeprefix("#/$defs/")
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def tidy(schema):
    """Prose goes, an object takes no other members, and a list of values is closed where the package leaves it open for what comes."""
    if not isinstance(schema, dict):
        return schema
    kept = {}
    for key, value in schema.items():
        if key in ("title", "description", "default", "format", "discriminator") and not isinstance(value, (dict, list)):
            continue
        if key == "discriminator":
            continue
        if key in ("properties", "$defs"):
            value = {name: tidy(inner) for name, inner in value.items()}
        elif key in ("anyOf", "oneOf", "allOf"):
            value = [tidy(inner) for inner in value]
            if key == "anyOf" and any(value):
                value = [inner for inner in value if inner != {}]
            if key == "anyOf" and {"type": "string"} in value:  # a list of known models beside any text
                value = [inner for inner in value if inner == {"type": "string"} or inner.get("type") != "string"]
            if len(value) == 1 and key == "anyOf":
                kept.update(value[0])
                continue
        elif key in ("items", "not", "additionalProperties"):
            value = tidy(value)
        kept[key] = value
    if "properties" in kept:
        kept["additionalProperties"] = False
    return kept


def pydantic_schemas(roots: dict) -> tuple:
    adapters = [(key, "validation", TypeAdapter(kind)) for key, kind in roots.items()]
    schemas, shared = TypeAdapter.json_schemas(adapters, ref_template="#/$defs/{model}")
    return {key: schema for (key, _), schema in schemas.items()}, shared.get("$defs", {})


def request_of(method, name: str, more: dict):
    """The body that a method of Cohere's client sends, from its signature."""
    members = {key: NotRequired[kind] for key, kind in more.items()}
    for key, parameter in inspect.signature(method).parameters.items():
        if key not in ("self", "request_options"):
            kind = parameter.annotation
            members[key] = kind if parameter.default is inspect.Parameter.empty else NotRequired[kind]
    return TypedDict(name, members)


# Protocol buffers as JSON: https://protobuf.dev/programming-guides/json/

NUMBERS = {
    **dict.fromkeys((Field.TYPE_DOUBLE, Field.TYPE_FLOAT), {"type": "number"}),
    **dict.fromkeys((Field.TYPE_INT32, Field.TYPE_UINT32), {"type": "integer"}),
    **dict.fromkeys((Field.TYPE_INT64, Field.TYPE_UINT64), {"type": ["integer", "string"]}),
}
BASE64 = {"type": "string", "pattern": "^[A-Za-z0-9+/_-]*={0,2}$"}
WELL_KNOWN = {
    "google.protobuf.Struct": {"type": "object"},
    "google.protobuf.ListValue": {"type": "array"},
    "google.protobuf.Value": {},
    "google.protobuf.Timestamp": {"type": "string"},
    "google.protobuf.Duration": {"type": "string"},
}


def message_name(message) -> str:
    return message.full_name.removeprefix("google.ai.generativelanguage.v1beta.")


def field_schema(field, defs: dict) -> dict:
    if field.type == Field.TYPE_MESSAGE and field.message_type.GetOptions().map_entry:
        return {"type": "object", "additionalProperties": field_schema(field.message_type.fields_by_name["value"], defs)}
    if field.type == Field.TYPE_MESSAGE:
        one = WELL_KNOWN.get(field.message_type.full_name)
        if one is None:
            add_message(field.message_type, defs)
            one = {"$ref": f"#/$defs/{message_name(field.message_type)}"}
    elif field.type == Field.TYPE_ENUM:
        one = {"type": "string", "enum": [value.name for value in field.enum_type.values]}
    elif field.type == Field.TYPE_BOOL:
        one = {"type": "boolean"}
    elif field.type == Field.TYPE_BYTES:
        one = BASE64
    else:
        one = NUMBERS.get(field.type, {"type": "string"})
    return {"type": "array", "items": one} if field.is_repeated else one


def add_message(message, defs: dict) -> None:
    name = message_name(message)
    if name in defs:
        return
    schema = defs[name] = {"type": "object"}
    schema["properties"] = {field.json_name: field_schema(field, defs) for field in message.fields}
    needed = [f.json_name for f in message.fields if field_behavior_pb2.REQUIRED in f.GetOptions().Extensions[field_behavior_pb2.field_behavior]]
    if needed:
        schema["required"] = needed
    choices = [[f.json_name for f in one.fields] for one in message.oneofs if len(one.fields) > 1]
    if choices:  # at most one of them
        schema["allOf"] = [
            {"oneOf": [*({"required": [key]} for key in keys), {"not": {"anyOf": [{"required": [key]} for key in keys]}}]}
            for keys in choices
        ]


def gemini() -> None:
    names = ("GenerateContent", "CountTokens", "EmbedContent", "BatchEmbedContents")
    messages = [f"{name}{end}" for name in names for end in ("Request", "Response")]
    defs = {}
    for name in messages:
        add_message(getattr(generativelanguage_v1beta, name).pb().DESCRIPTOR, defs)
    for name in ("GenerateContentRequest", "CountTokensRequest", "BatchEmbedContentsRequest"):
        defs[name]["required"] = [key for key in defs[name].get("required", []) if key != "model"]  # in the path
    defs["ThinkingConfig"]["properties"]["thinkingLevel"] = {"enum": [level.value for level in genai.ThinkingLevel]}
    defs["GenerateContentRequest"]["properties"]["serviceTier"] = {"enum": [tier.value for tier in genai.ServiceTier]}
    counts = next(name for name in defs if name.endswith("UsageMetadata") and "thoughtsTokenCount" in defs[name]["properties"])
    defs[counts]["properties"]["serviceTier"] = {"type": "string"}
    defs["BatchEmbedContentsResponse"]["properties"]["usageMetadata"] = {"$ref": f"#/$defs/{counts}"}
    reasons = defs["Candidate"]["properties"]["finishReason"]["enum"]
    reasons.extend(reason.value for reason in genai.FinishReason if reason.value not in reasons)
    roots = {name: {"$ref": f"#/$defs/{name}"} for name in messages}
    more = f"thinkingLevel, serviceTier, usage of embeddings and newer finish reasons of google-genai {metadata.version('google-genai')}"
    write("gemini", "google-ai-generativelanguage", f"messages of v1beta as JSON; {more}", roots, defs)


def discovered(schema: dict):
    """A schema of a discovery document as JSON Schema."""
    kept = {}
    if "$ref" in schema:
        return {"$ref": f"#/$defs/{schema['$ref'].removeprefix('GoogleCloudAiplatformV1')}"}
    if schema.get("type") == "any":
        return {}
    if schema.get("format") in ("int64", "uint64"):
        return {"type": ["integer", "string"]}
    if schema.get("format") == "byte":
        return BASE64
    kept["type"] = schema["type"]
    if "enum" in schema:
        kept["enum"] = schema["enum"]
    if "items" in schema:
        kept["items"] = discovered(schema["items"])
    if "properties" in schema:
        kept["properties"] = {key: discovered(value) for key, value in schema["properties"].items()}
        needed = [key for key, value in schema["properties"].items() if value.get("description", "").startswith("Required.")]
        if needed:
            kept["required"] = needed
    if "additionalProperties" in schema:
        kept["additionalProperties"] = discovered(schema["additionalProperties"])
    return kept


def vertex() -> None:
    path = resources.files(googleapiclient) / "discovery_cache/documents/aiplatform.v1.json"
    document = json.loads(path.read_text())
    prefix = "GoogleCloudAiplatformV1"
    defs = {key.removeprefix(prefix): discovered(schema) for key, schema in document["schemas"].items()}
    names = ("GenerateContent", "CountTokens", "EmbedContent", "BatchEmbedContents", "Predict")
    roots = {f"{name}{end}": {"$ref": f"#/$defs/{name}{end}"} for name in names for end in ("Request", "Response")}
    write("vertex", "google-api-python-client", f"aiplatform.v1, revision {document['revision']}", roots, defs)


def claude() -> None:
    message = typing.Union[message_create_params.MessageCreateParamsNonStreaming, message_create_params.MessageCreateParamsStreaming]
    roots, defs = pydantic_schemas({
        "MessageRequest": message,
        "Message": anthropic.types.Message,
        "MessageEvent": anthropic.types.RawMessageStreamEvent,
        "CountRequest": message_count_tokens_params.MessageCountTokensParams,
        "CountResponse": anthropic.types.MessageTokensCount,
        "ErrorResponse": anthropic.types.ErrorResponse,
    })
    # Models up to Opus 4.6 take these; the package has no place for them any more.
    sampling = {"temperature": {"type": "number"}, "top_p": {"type": "number"}, "top_k": {"type": "integer"}}
    older = []
    for reference in roots["MessageRequest"]["anyOf"]:
        name = reference["$ref"].removeprefix("#/$defs/")
        defs[f"Older{name}"] = {**defs[name], "properties": {**defs[name]["properties"], **sampling}}
        older.append({"$ref": f"#/$defs/Older{name}"})
    what = "anthropic.types; OlderMessageRequest with the sampling of npm's @anthropic-ai/sdk 0.137.0"
    write("anthropic", "anthropic", what, {**roots, "OlderMessageRequest": {"anyOf": older}}, defs)


def main() -> None:
    write("openai", "openai", "openai.types", *pydantic_schemas({
        "ChatRequest": typing.Union[completion_create_params.CompletionCreateParamsNonStreaming, completion_create_params.CompletionCreateParamsStreaming],
        "ChatResponse": ChatCompletion,
        "ChatChunk": ChatCompletionChunk,
        "EmbeddingRequest": embedding_create_params.EmbeddingCreateParams,
        "EmbeddingResponse": openai.types.CreateEmbeddingResponse,
    }))
    claude()
    write("cohere", "cohere", "cohere.v2", *pydantic_schemas({
        "ChatRequest": request_of(RawV2Client.chat, "ChatRequest", {"stream": bool}),
        "ChatResponse": cohere.V2ChatResponse,
        "ChatEvent": cohere.V2ChatStreamResponse,
        "EmbedRequest": request_of(RawV2Client.embed, "EmbedRequest", {}),
        "EmbedResponse": cohere.EmbedByTypeResponse,
        "RerankRequest": request_of(RawV2Client.rerank, "RerankRequest", {}),
        "RerankResponse": cohere.v2.V2RerankResponse,
    }))
    gemini()
    vertex()


main()
