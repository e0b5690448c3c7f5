import { costIn, costOf } from "./cost.js";
import { SvcError } from "./error.js";
import { errorOf, parsed, unexpected } from "./fail.js";
import { delayBefore, mayRepeat, pause } from "./retry.js";
import { watch } from "./watch.js";
export function call(client, route, input, options) {
    return callOf(send(client, route, (input ?? {}), options ?? {}));
}
/** The three ways to take an answer. Whoever takes another one than the promise itself has handled its failure. */
export function callOf(sent) {
    const data = sent.then((answer) => answer.data);
    const handled = () => void data.catch(() => { });
    return Object.assign(data, {
        withResponse: () => (handled(), sent),
        result: () => (handled(),
            sent.then((answer) => ({ ok: true, ...answer }), (error) => {
                if (SvcError.is(error))
                    return { ok: false, error: error };
                throw error;
            })),
    });
}
async function send(client, route, input, options) {
    const { signal, maxRetries = client.maxRetries, timeout = client.timeout } = options;
    const { url, init, repeatable } = await requestOf(client, route, input, options);
    for (let attempt = 0;; attempt += 1) {
        const watched = watch(signal, timeout);
        try {
            return await once(client, route, url, init, watched);
        }
        catch (thrown) {
            const error = watched.fault(thrown);
            watched.end();
            watched.controller.abort(); // what is left of an answer that nobody reads
            const delay = delayBefore(error, attempt);
            if (attempt >= maxRetries || delay > client.maxRetryDelay || !mayRepeat(error, repeatable))
                throw error;
            await pause(delay, signal);
        }
    }
}
async function once(client, { read }, url, init, watched) {
    const { signal } = watched.controller;
    watched.start();
    signal.throwIfAborted();
    const response = await client.fetch(url, { ...init, signal });
    try {
        if (!response.ok)
            throw await errorOf(response);
        const { headers } = response;
        const data = await dataOf(response, watched, read);
        return { data, response, requestId: headers.get("x-request-id"), cost: costIn(headers) ?? costOf(data) };
    }
    catch (thrown) {
        throw watched.fault(thrown, response); // what its head said holds, also where the body broke off
    }
}
/** What reads the answer later ends the watch then. */
async function dataOf(response, watched, read) {
    const type = response.headers.get("content-type") ?? "";
    if (response.status !== 204 && !/[/+]json\b/.test(type)) {
        watched.rest();
        const data = await read?.(response, watched, type);
        if (data === undefined)
            throw unexpected(`The answer is ${type || "of no type"}.`, response);
        return data;
    }
    const text = await response.text();
    watched.end();
    return response.status === 204 ? undefined : parsed(text, response);
}
async function requestOf(client, route, input, options) {
    const { method = "GET", path, auth, query, newKey, encode, accept } = route;
    const headers = { accept: accept === undefined ? "application/json, */*" : `${accept}, application/json` };
    const token = (await tokenFor(client, auth))?.trim();
    // Checked here: what fetch throws of it would hold it.
    if (token && /[^!-~]/.test(token))
        throw new TypeError("svc-sdk: the key or token has characters that no header can carry.");
    if (token)
        headers.authorization = `Bearer ${token}`;
    // An order that is named in its body needs no second name.
    if (newKey && input.idempotency_key == null)
        headers["idempotency-key"] = options.idempotencyKey ?? newKey();
    const asked = new URLSearchParams();
    const rest = {};
    for (const [name, value] of Object.entries(input)) {
        if (method !== "GET" && !query?.includes(name))
            rest[name] = value;
        else if (value != null)
            asked.set(name, String(value));
    }
    let body = null;
    if (method === "POST" || method === "PATCH") {
        Object.assign(rest, options.extraBody);
        const encoded = encode === undefined ? rest : await encode(rest);
        if (encoded instanceof FormData)
            body = encoded;
        else {
            body = JSON.stringify(encoded);
            headers["content-type"] = "application/json";
        }
    }
    for (const [name, value] of Object.entries({ ...client.headers, ...options.headers }))
        headers[name.toLowerCase()] = value;
    const search = asked.toString();
    const url = client.baseURL + (typeof path === "string" ? path : path()) + (search && `?${search}`);
    return { url, init: { method, headers, body }, repeatable: method === "GET" || newKey !== undefined };
}
async function tokenFor({ apiKey, sessionToken }, auth) {
    if (auth === "none")
        return undefined;
    if (auth === "session")
        return sessionToken() ?? (await apiKey());
    return (await apiKey()) ?? (auth === "either" ? sessionToken() : undefined);
}
