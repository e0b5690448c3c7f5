// A gateway process reduced to its engine of jobs, for tests that kill it.
import { connect } from "../../src/db/connect.ts";
import { type Models, startEngine } from "./engine.ts";

const [databaseUrl, simulatorUrl, dataDir, models, leaseMs] = process.argv.slice(2) as [string, string, string, string, string];
const db = connect(databaseUrl, { max: 4, silenceMs: 4_000 });
const times = { leaseMs: Number(leaseMs) };
const engine = await startEngine({ db, simulatorUrl, dataDir, models: JSON.parse(models) as Models, times });
process.stdout.write("ready\n");
process.once("SIGTERM", () => void engine.stop(2_000).then(() => process.exit(0)));
