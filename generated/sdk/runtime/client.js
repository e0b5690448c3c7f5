// What calls share: where the gateway is, who asks, and how patient we are.
/** Makes a client for the functions of `svc-sdk/functions`. Throws a TypeError without an address. */
export function createClient(options = {}) {
    const { apiKey = fromEnvironment("SVC_KEY"), sessionToken, baseURL = fromEnvironment("SVC_URL"), headers = {}, fetch: own } = options;
    if (!baseURL)
        throw new TypeError("svc-sdk: say baseURL, or set SVC_URL in the environment.");
    return {
        apiKey: typeof apiKey === "function" ? apiKey : () => apiKey,
        sessionToken: () => sessionToken,
        baseURL: baseURL.replace(/(\/v1)?\/*$/, ""),
        timeout: options.timeout ?? 600_000,
        maxRetries: options.maxRetries ?? 2,
        maxRetryDelay: options.maxRetryDelay ?? 60_000,
        headers,
        // Called as a plain function: browsers refuse fetch as another object's method.
        fetch: own ?? ((url, init) => fetch(url, init)),
    };
}
/** Undefined in browsers, and where a runtime forbids to look. */
function fromEnvironment(name) {
    try {
        return globalThis.process?.env?.[name];
    }
    catch {
        return undefined;
    }
}
