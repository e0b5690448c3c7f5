// The billing matrix of POST /v1/messages.
import { testMatrix } from "./matrix.ts";

testMatrix(["messages"]);
