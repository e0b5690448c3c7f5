// The queue of password hashes: what runs next when more wait than may run, counted exactly; each job ends when the test says so.
import { describe, expect, test } from "vitest";
import { openHashQueue } from "../../src/accounts/passwords.ts";

function world(runningMax = 2, places = 64) {
  const queue = openHashQueue(runningMax, places);
  const started: string[] = [];
  const running: (() => void)[] = [];
  const ended: string[] = [];
  let refused = 0;
  return {
    started,
    ended,
    refused: () => refused,
    ask(name: string, asker: Parameters<typeof queue.run>[1]) {
      const work = () => {
        started.push(name);
        return new Promise<true>((resolve) => running.push(() => resolve(true)));
      };
      return queue.run(work, asker).then(
        (done) => void ended.push(done ? name : `${name} (time alone)`),
        (error: { code: string }) => {
          expect(error.code).toBe("overloaded");
          refused += 1;
        },
      );
    },
    /** Ends the job that runs longest, and waits until the next has begun. */
    async endOne() {
      running.shift()!();
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
    running: () => running.length,
  };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("in turn", () => {
  test("by subject: one that comes after forty about one subject runs next", async () => {
    const { ask, started, endOne } = world();
    for (let at = 0; at < 40; at++) void ask("victim", { about: "victim" });
    await settle();
    void ask("user", { about: "user" });
    await endOne();
    await endOne();
    expect(started).toEqual(["victim", "victim", "victim", "user"]);
  });

  test("one subject fills at most three quarters of the queue; there is room for the next", async () => {
    const { ask, refused, running } = world();
    for (let at = 0; at < 100; at++) void ask("victim", { about: "victim" });
    await settle();
    expect([running(), refused()]).toEqual([2, 50]);
    void ask("user", { about: "user" });
    await settle();
    expect(refused()).toBe(50);
  });

  test("known callers wait in a queue of their own, which alternates with the other", async () => {
    const { ask, started, endOne, refused } = world(1, 4);
    for (let at = 0; at < 10; at++) void ask(`stranger ${at}`, { about: `thing ${at}` });
    await settle();
    expect(refused()).toBe(5);
    for (const about of ["a", "b"]) void ask(`known ${about}`, { about, known: true });
    await settle();
    for (let at = 0; at < 4; at++) await endOne();
    expect(started).toEqual(["stranger 0", "known a", "stranger 1", "known b", "stranger 2"]);
  });
});

describe.each([{ signsUp: true }, { known: true }])("while others wait, %j", (others) => {
  test("a thousand addresses without an account delay no sign-in by a turn", async () => {
    const { ask, started, endOne } = world();
    for (let at = 0; at < 40; at++) void ask("other", { about: `other ${at}`, ...others });
    for (let at = 0; at < 1_000; at++) void ask("ghost", { about: `ghost ${at}`, ghost: true });
    void ask("user", { about: "user" });
    await settle();
    for (let at = 0; at < 2; at++) await endOne();
    expect(started).toContain("user");
  });
});

describe("sign-ups, by their network", () => {
  test("a hundred and twenty networks that send thirty each refuse no other network, nor a sign-in", async () => {
    const { ask, started, endOne, refused } = world();
    for (let at = 0; at < 120 * 30; at++) void ask("flood", { about: `network ${Math.floor(at / 30)}`, signsUp: true });
    await settle();
    const before = refused();
    expect(before).toBeGreaterThan(3_000);
    void ask("newcomer", { about: "home", signsUp: true });
    for (let at = 0; at < 64; at++) void ask("user", { about: `user ${at}` });
    await settle();
    expect(refused()).toBe(before);
    await endOne();
    await endOne();
    expect(started.slice(2)).toEqual(["user", "flood"]); // sign-ins and sign-ups take turns
  });

  test("one that comes after forty of another network runs next", async () => {
    const { ask, started, endOne } = world();
    for (let at = 0; at < 40; at++) void ask("flood", { about: "network", signsUp: true });
    await settle();
    void ask("newcomer", { about: "home", signsUp: true });
    await endOne();
    await endOne();
    expect(started).toEqual(["flood", "flood", "flood", "newcomer"]);
  });

  test("one network alone, such as an office's, may have ninety-six wait", async () => {
    const { ask, refused } = world();
    for (let at = 0; at < 200; at++) void ask("office", { about: "office", signsUp: true });
    await settle();
    expect(refused()).toBe(200 - 2 - 96);
  });
});

describe("a ghost", () => {
  test("does the work where no other caller waits", async () => {
    const { ask, started, endOne, ended } = world();
    void ask("ghost", { about: "nothing", ghost: true });
    await settle();
    await endOne();
    expect([started, ended]).toEqual([["ghost"], ["ghost"]]);
  });

  test("takes neither space nor a turn: after a thousand of them a real caller runs next", async () => {
    const { ask, started, endOne, ended, refused } = world();
    for (let at = 0; at < 1000; at++) void ask("ghost", { about: `nothing ${at}`, ghost: true });
    await settle();
    void ask("user", { about: "user" });
    await endOne();
    expect([started, refused()]).toEqual([["ghost", "ghost", "user"], 0]);
    await endOne();
    await endOne();
    await expect.poll(() => ended.filter((name) => name === "ghost (time alone)").length).toBe(998);
  });

  test("is refused where a real caller would be, and no earlier", async () => {
    const outcomes = await Promise.all(
      [false, true].map(async (ghost) => {
        const { ask, refused } = world();
        for (const about of ["first", "second"]) void ask(about, { about }); // both slots
        await settle();
        for (let at = 0; at < 100; at++) void ask("one", { about: "one", ghost });
        await settle();
        const alone = refused();
        for (let at = 0; at < 200; at++) void ask("many", { about: `real ${at}` });
        await settle();
        const before = refused();
        void ask("new", { about: "new", ghost });
        await settle();
        return [alone, refused() - before];
      }),
    );
    expect(outcomes).toEqual([
      [52, 1],
      [52, 1],
    ]);
  });

  test("waits for its turn like a real caller", async () => {
    const { ask, ended, endOne } = world(1);
    void ask("first", { about: "first" });
    for (const about of ["a", "b"]) void ask(about, { about });
    const ghost = ask("ghost", { about: "nothing", ghost: true });
    void ask("c", { about: "c" });
    await settle();
    await endOne();
    await endOne();
    expect(ended).toEqual(["first", "a"]);
    await endOne();
    await ghost;
    expect(ended).toEqual(["first", "a", "b", "ghost (time alone)"]);
  });
});
