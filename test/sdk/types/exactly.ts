// Holds a type against another: neither wider nor narrower will do. For the compiler only; nothing here runs.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `exactly<string>()(value)` compiles where value is a string, and not where it is `any`, a union or a literal. */
export declare function exactly<Expected>(): <Actual>(value: Actual, ...wrong: Same<Expected, Actual> extends true ? [] : [never]) => void;

exactly<string>()("" as string);
// @ts-expect-error a literal is narrower
exactly<string>()("" as const);
// @ts-expect-error a union is wider
exactly<string>()("" as string | null);
// @ts-expect-error anything is no text
exactly<string>()(JSON.parse("") as any);
