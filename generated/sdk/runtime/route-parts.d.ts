/** A path parameter, which can't leave its place in the path. */
export declare function segment(value: string): string;
/** Streams say what they cost unless the caller says what they shall say. */
export declare function withUsage(body: Record<string, unknown>): Record<string, unknown>;
/** 128 random bits. Not `randomUUID`: pages without TLS lack it. */
export declare function newKey(): string;
