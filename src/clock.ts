// The only file that reads the time, so that tests can set it; and the form in which callers see it.

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** As callers see times: whole seconds. */
export function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

export function wholeSecond(at: Date): Date {
  return new Date(unixSeconds(at) * 1000);
}
