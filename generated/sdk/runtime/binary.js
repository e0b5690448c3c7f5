// Audio and other bytes, as they come or whole.
import { costIn } from "./cost.js";
import { piecesOf } from "./watch.js";
/** For routes whose answer is bytes. */
export function binary(response, watched, contentType) {
    if (contentType === "" || contentType.startsWith("text/"))
        return undefined;
    const { headers } = response;
    let taken = false;
    const stream = () => {
        if (taken || response.bodyUsed || response.body?.locked)
            throw new TypeError("svc-sdk: bytes can be read once.");
        taken = true;
        return streamOf(response, watched);
    };
    const blob = async () => {
        const pieces = [];
        const reader = stream().getReader();
        for (let read = await reader.read(); !read.done; read = await reader.read())
            pieces.push(read.value);
        return new Blob(pieces, { type: contentType });
    };
    const arrayBuffer = async () => (await blob()).arrayBuffer();
    const bytes = async () => new Uint8Array(await arrayBuffer());
    return { contentType, cost: costIn(headers), headers, stream, blob, arrayBuffer, bytes };
}
function streamOf(response, watched) {
    const pieces = piecesOf(response, watched);
    return new ReadableStream({
        async pull(controller) {
            const { done, value } = await pieces.next();
            if (done)
                controller.close();
            else
                controller.enqueue(value);
        },
        async cancel() {
            // First: a generator that was never started ends nothing, and one that waits for a piece would go on waiting.
            watched.controller.abort();
            watched.end();
            await pieces.return();
        },
    }, { highWaterMark: 0 });
}
