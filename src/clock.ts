// The only file that asks for the time, so that a test can decide what time it is.

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
