// The page's first script, and a small one: it takes out of the address what has no place there, asks for what the page will read, and then
// loads the console.
import "./styles.css";
import { askEarly } from "./lib/early.ts";
import "./lib/address-bar.ts";

askEarly();
void import("./main.tsx");
