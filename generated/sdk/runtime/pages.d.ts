import type { OperationId } from "../types.js";
import type { Call } from "./call.js";
interface Page {
    readonly data: readonly unknown[];
    readonly has_more?: boolean;
    readonly last_id?: string | null;
}
/** Awaited it is the first page; `for await` gives the rows of all pages, each page asked for when it is needed. */
export interface Pages<List extends {
    readonly data: readonly unknown[];
}, Op extends OperationId> extends Call<List, Op>, AsyncIterable<List["data"][number]> {
}
/** `ask` gets the fields that lead to a page. */
export declare function pages<List extends Page, Op extends OperationId>(ask: (cursor: {
    after?: string;
}) => Call<List, Op>): Pages<List, Op>;
export {};
