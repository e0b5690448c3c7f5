"""Any path's stream: the events of an answer as dicts, in the dialect of the path. `streams` has them typed."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Protocol, runtime_checkable

from .client import AuthenticatedClient
from .errors import ApiError


class _Body(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


@runtime_checkable
class _Form(Protocol):
    def to_multipart(self) -> list[tuple[str, Any]]: ...


class _Events:
    """Reads server-sent events line by line. `[DONE]` is not an event; an error event is raised."""

    def __init__(self) -> None:
        self._data: list[str] = []

    def event_of(self, line: str) -> dict[str, Any] | None:
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        if line != "" or not self._data:
            return None
        text = "\n".join(self._data)
        self._data.clear()
        if text == "[DONE]":
            return None
        event: dict[str, Any] = json.loads(text)
        if event.get("error") and event.get("object") != "response":
            raise ApiError(200, text.encode())
        return event


def _request(path: str, body: _Body | dict[str, Any]) -> dict[str, Any]:
    if isinstance(body, _Form):
        parts = [part for part in body.to_multipart() if part[0] != "stream"]
        return {"method": "POST", "url": path, "files": [*parts, ("stream", (None, b"true", "text/plain"))]}
    fields = body if isinstance(body, dict) else body.to_dict()
    return {"method": "POST", "url": path, "json": {**fields, "stream": True}}


def stream(client: AuthenticatedClient, path: str, body: _Body | dict[str, Any]) -> Iterator[dict[str, Any]]:
    """For example `stream(client, "/v1/chat/completions", ChatRequest(…))`. Closing the iterator ends the call."""
    with client.get_httpx_client().stream(**_request(path, body)) as response:
        if response.status_code >= 400:
            raise ApiError(response.status_code, response.read())
        events = _Events()
        for line in response.iter_lines():
            event = events.event_of(line)
            if event is not None:
                yield event


async def astream(
    client: AuthenticatedClient, path: str, body: _Body | dict[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    """`stream` for asyncio."""
    async with client.get_async_httpx_client().stream(**_request(path, body)) as response:
        if response.status_code >= 400:
            raise ApiError(response.status_code, await response.aread())
        events = _Events()
        async for line in response.aiter_lines():
            event = events.event_of(line)
            if event is not None:
                yield event
