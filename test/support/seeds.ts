// CI draws the same random histories every time, so that what passed is what lands; by hand each run draws its own.
import fc from "fast-check";

if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });
