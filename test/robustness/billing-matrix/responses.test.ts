// The billing matrix of POST /v1/responses.
import { testMatrix } from "./matrix.ts";

testMatrix(["responses"]);
