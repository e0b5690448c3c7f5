// Which suites run a second time through Prism, and which of them don't and why. Single requests that Prism can't carry go
// round it by the rule in through-prism.ts; a suite is left out only where it tells nothing more of the contract.

export const suites = ["test/operations/**/*.test.ts"];

export const suitesLeftOut: Record<string, string> = {};
