export { createClient } from "./client.js";
export { costOf } from "./cost.js";
export { SvcError, } from "./error.js";
