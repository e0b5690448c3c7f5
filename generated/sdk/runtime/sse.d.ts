/** One event as it was sent; `data` of several lines is joined. */
export interface ServerEvent {
    /** Its name; empty where it has none. */
    event: string;
    data: string;
}
/**
 * Reads events as the standard says: lines end with CR, LF or CRLF, a BOM at the start is dropped, comments and unknown fields are
 * passed over, and an event that no empty line closed is not one.
 */
export declare function eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined>;
