// `npm run clients:python`: the pinned Python clients in a virtual environment of their own. Where Python or the index
// can't be had it says so, leaves that as an excuse for the tests, and ends well; any other fault is one.
import { install, isInstalled } from "../../support/private-python.ts";
import { clients } from "./environment.ts";

if (isInstalled(clients)) console.log("The Python clients are there already.");
else {
  const reason = install(clients);
  console.log(
    reason === null
      ? `The Python clients are installed in ${clients.folder}.`
      : `No Python clients, and their tests will be skipped: ${reason}`,
  );
}
