"""Embeddings and Responses, as Python programs use them with the openai package."""

from openai_chat import SEA, Review, client  # noqa: F401  (the driver takes `client` from here)


def embed(client, model, **more):
    answer = client.embeddings.create(model=model, input=["one sea", "two seas"], **more)
    return {"sizes": [len(row.embedding) for row in answer.data], "first": answer.data[0].embedding[:3], "indexes": [row.index for row in answer.data], "usage": answer.usage.to_dict()}


def embed_tokens(client, model, tokens):
    answer = client.embeddings.create(model=model, input=tokens)
    return {"sizes": [len(row.embedding) for row in answer.data], "first": answer.data[0].embedding[:3], "usage": answer.usage.to_dict()}


def complete(client, model, prompt, **more):
    answer = client.completions.create(model=model, prompt=prompt, max_tokens=8, **more)
    logprobs = [None if choice.logprobs is None else choice.logprobs.to_dict() for choice in answer.choices]
    return {"texts": [choice.text for choice in answer.choices], "logprobs": logprobs, "usage": answer.usage.to_dict()}


def complete_stream(client, model, prompt, **more):
    texts = {}
    for chunk in client.completions.create(model=model, prompt=prompt, max_tokens=8, stream=True, **more):
        for choice in chunk.choices:
            texts[choice.index] = texts.get(choice.index, "") + choice.text
    return {"texts": [texts[index] for index in sorted(texts)]}


def respond(client, model, **more):
    answer = client.responses.create(model=model, input="Tell me about the sea.", store=False, **more)
    return {"text": answer.output_text, "status": answer.status, "usage": answer.usage.to_dict()}


def respond_stream(client, model):
    with client.responses.stream(model=model, input="Tell me about the sea.", store=False) as events:
        types = [event.type for event in events]
        final = events.get_final_response()
    return {"types": types, "text": final.output_text, "status": final.status}


def respond_parse(client, model):
    answer = client.responses.parse(model=model, input="Review the sea", text_format=Review, store=False)
    return {"type": type(answer.output_parsed).__name__, "value": answer.output_parsed.model_dump()}
