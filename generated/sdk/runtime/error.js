const nothing = {
    status: null,
    httpStatus: null,
    type: null,
    param: null,
    retryAfterMs: null,
    requestId: null,
    docUrl: null,
    headers: null,
    body: null,
};
/** Every failure of a call. Branch on `code`; `SvcError.is` narrows the type. */
export class SvcError extends Error {
    constructor({ message, cause, ...fields }) {
        super(message, cause === undefined ? undefined : { cause });
        Object.assign(this, { name: "SvcError", retryable: false }, nothing, fields);
    }
    static is(error, ...codes) {
        // By name: two copies of this package may meet in one program.
        const { name, code } = Object(error);
        return name === "SvcError" && (codes.length === 0 || codes.includes(code));
    }
}
