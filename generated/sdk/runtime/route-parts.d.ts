/** A path parameter, which can't leave its place in the path. */
export declare function segment(value: string): string;
/** 128 random bits. Not `randomUUID`: pages without TLS lack it. */
export declare function newKey(): string;
