/** Every failure of a call. Branch on `code`; `SvcError.is` narrows the type. */
export class SvcError extends Error {
    constructor({ message, cause, ...fields }) {
        super(message, cause === undefined ? undefined : { cause });
        const none = { status: null, httpStatus: null, type: null, param: null, retryable: false, retryAfterMs: null };
        Object.assign(this, none, { requestId: null, docUrl: null, headers: null, body: null }, fields, { name: "SvcError" });
    }
    static is(error, ...codes) {
        // By name: two copies of this package may meet in one program.
        const { name, code } = Object(error);
        return name === "SvcError" && (codes.length === 0 || codes.includes(code));
    }
}
