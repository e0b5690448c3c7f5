// The billing matrix of POST /v1/completions.
import { testMatrix } from "./matrix.ts";

testMatrix(["completions"]);
