// The billing matrix of POST /v1/chat/completions.
import { testMatrix } from "./matrix.ts";

testMatrix(["chat"]);
