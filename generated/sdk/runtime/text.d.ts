import type { Watch } from "./watch.js";
/** For routes whose answer may be text. */
export declare function text(response: Response, watched: Watch, type: string): Promise<string | undefined>;
