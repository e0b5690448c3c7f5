// Bodies that carry a file: a form when one is given, JSON else, on one method.
/** FormData when the body holds a file, else the same body for JSON. */
export async function formOf(body) {
    if (body.file == null)
        return body;
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) {
        if (value == null)
            continue;
        if (name === "file")
            await appendFile(form, value);
        else if (Array.isArray(value))
            for (const one of value)
                form.append(name.endsWith("[]") ? name : `${name}[]`, String(one));
        else
            form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
    return form;
}
async function appendFile(form, upload) {
    const named = "name" in upload && "data" in upload;
    const blob = await blobOf(named ? upload.data : upload);
    if (named)
        form.append("file", blob, upload.name);
    else
        form.append("file", blob, blob instanceof File ? blob.name : "file");
}
async function blobOf(bytes) {
    if (bytes instanceof Blob)
        return bytes;
    if (bytes instanceof Response)
        return bytes.blob();
    if (bytes instanceof ReadableStream)
        return new Response(bytes).blob();
    if (bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes))
        return new Blob([bytes]);
    const pieces = [];
    for await (const piece of bytes)
        pieces.push(piece);
    return new Blob(pieces);
}
