// The billing matrix of POST /v1/embeddings and POST /v1/rerank.
import { testMatrix } from "./matrix.ts";

testMatrix(["embeddings", "rerank"]);
