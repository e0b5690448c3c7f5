// The billing matrix of POST /v1/decisions.
import { testMatrix } from "./matrix.ts";

testMatrix(["decisions"]);
