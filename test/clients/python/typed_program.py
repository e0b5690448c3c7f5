"""What a type checker makes of a program that uses the SDK: where a line says that it ignores an error, there has to be that one."""

import os

from svc_sdk import connect
from svc_sdk.api.language import create_chat_completion
from svc_sdk.models.block_delta_event import BlockDeltaEvent
from svc_sdk.models.chat_request import ChatRequest
from svc_sdk.models.message_request import MessageRequest
from svc_sdk.models.response_request import ResponseRequest
from svc_sdk.models.response_text_delta_event import ResponseTextDeltaEvent
from svc_sdk.streams import astream_chat_completion, stream_chat_completion, stream_message, stream_response

client = connect(os.environ["SVC_URL"], os.environ["SVC_KEY"])
request = ChatRequest.from_dict({"model": "best", "messages": [{"role": "user", "content": "Hello!"}]})

answer = create_chat_completion.sync(client=client, body=request)
cost: float = answer.usage.cost or 0
wrong: str = answer.usage.cost  # type: ignore[assignment]
answer.choises  # type: ignore[attr-defined]

for chunk in stream_chat_completion(client, request):
    text: str = chunk.choices[0].delta.content or ""
    chunk.choises  # type: ignore[attr-defined]
stream_chat_completion(client, MessageRequest.from_dict({}))  # type: ignore[arg-type]

for event in stream_message(client, MessageRequest.from_dict({})):
    event.delta  # type: ignore[union-attr]
    if isinstance(event, BlockDeltaEvent):
        number: int = event.index

for said in stream_response(client, ResponseRequest.from_dict({})):
    if isinstance(said, ResponseTextDeltaEvent):
        part: str = said.delta


async def later() -> str:
    return "".join([chunk.choices[0].delta.content or "" async for chunk in astream_chat_completion(client, request)])
