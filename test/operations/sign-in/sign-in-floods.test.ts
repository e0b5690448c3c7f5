// Floods of sign-ins, sign-ups and guesses from 120 networks, each within its limit: users with an account can sign in meanwhile, and no reply
// reveals which addresses have one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { withinOneMinute } from "../../limits/counted-database.ts";
import { argon2Runs, password, type Person, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";
import { oneInThree } from "../../support/size.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway({}, "shipped")));
afterAll(() => gateway.stop());

/** More than may wait for a password, and than one address is tried in a minute. */
const networks = 120;
let floods = 0;
/** From each of these networks one request. */
function flood(path: string, bodyOf: (nth: number) => object) {
  const base = ++floods;
  return Array.from({ length: networks }, (_, nth) => gateway.post(path, bodyOf(nth), `172.${base}.${nth}.1`));
}
const signInFrom = (client: string, email: string, given = password) => gateway.post("/v1/auth/signin", { email, password: given }, client);
const people = (count: number): Promise<Person[]> => Promise.all(Array.from({ length: count }, () => gateway.verifiedPerson()));
const counts = (statuses: number[]) =>
  Object.fromEntries([...new Set(statuses)].sort().map((one) => [one, statuses.filter((s) => s === one).length]));
/** A database that a busy machine keeps waiting answers 503 too, but not each time, as a queue would that is unfair. */
const again = { retry: 3 };
const statusesOf = async (replies: ReturnType<typeof flood>) => (await Promise.all(replies)).map(({ status }) => status);

test("guesses at addresses without an account: each is 401, and users with an account sign in meanwhile", again, async () => {
  const users = await people(8);
  let unknown: ReturnType<typeof flood> = [];
  let replies: number[] = [];
  const runs = await argon2Runs(async () => {
    unknown = flood("/v1/auth/signin", (nth) => ({ email: `unknown-${nth}@example.com`, password }));
    replies = (await Promise.all(users.map(({ email }) => gateway.signIn(email)))).map(({ status }) => status);
    await Promise.all(unknown);
  });
  expect(counts(replies)).toEqual({ 200: users.length });
  expect(counts(await statusesOf(unknown))).toEqual({ 401: networks });
  expect(runs).toBeLessThan(networks + users.length); // guesses get no slot while a user waits for one
});

oneInThree()("guesses at one address: others sign in meanwhile, and its owner from where they did before", again, async () => {
  const [victim, other] = (await people(2)) as [Person, Person];
  const home = "198.51.100.7";
  expect((await signInFrom(home, victim.email)).status).toBe(200);
  const guesses = flood("/v1/auth/signin", () => ({ email: victim.email, password: "a wrong password" }));
  const [owner, stranger] = await Promise.all([signInFrom(home, victim.email), gateway.signIn(other.email)]);
  expect([owner.status, stranger.status]).toEqual([200, 200]);
  const guessed = counts(await statusesOf(guesses));
  expect(Object.keys(guessed).filter((status) => !["401", "429", "503"].includes(status))).toEqual([]);
  expect(guessed[429]).toBeGreaterThanOrEqual(networks - 100); // a hundred a minute are tried
});

test("an address whose tries strangers have used up: 429 from a new network, 200 from the owner's, a mail for a new password too", () =>
  withinOneMinute(async () => {
    const victim = await gateway.verifiedPerson();
    const home = "198.51.100.8";
    expect((await signInFrom(home, victim.email)).status).toBe(200);
    await Promise.all([
      ...flood("/v1/auth/signin", () => ({ email: victim.email, password: "a wrong password" })),
      ...flood("/v1/auth/password/forgot", () => ({ email: victim.email })),
    ]);
    expect((await gateway.signIn(victim.email)).status).toBe(429);
    expect((await gateway.post("/v1/auth/password/forgot", { email: victim.email })).status).toBe(429);
    expect((await signInFrom(home, victim.email, "a wrong password")).status).toBe(401);
    expect((await signInFrom(home, victim.email.toUpperCase())).status).toBe(200);
    expect((await gateway.post("/v1/auth/password/forgot", { email: victim.email }, home)).status).toBe(202);
  }));

oneInThree()("a known network has its own bound anyway, is another's for another address, and is forgotten with a new password", () =>
  withinOneMinute(async () => {
    const [victim, other] = (await people(2)) as [Person, Person];
    const home = "198.51.100.9";
    expect((await signInFrom(home, victim.email)).status).toBe(200);
    const known = async () =>
      (await gateway.rows("select 1 from known_network where account_id = $1 and expires_at > $2", [victim.id, gateway.context.clock()]))
        .length;
    const before = await known();
    await Promise.all(flood("/v1/auth/signin", () => ({ email: other.email, password: "a wrong password" })));
    expect((await signInFrom(home, other.email)).status).toBe(429);
    const tries = await Promise.all(Array.from({ length: 12 }, () => signInFrom(home, victim.email, "a wrong password")));
    expect(counts(tries.map(({ status }) => status))).toEqual({ 401: 9, 429: 3 }); // ten a minute, one of which was right
    await gateway.post("/v1/auth/password/forgot", { email: victim.email });
    const reset = { token: tokenIn(await gateway.mailTo(victim.email)), password: "another good phrase" };
    expect((await gateway.post("/v1/auth/password/reset", reset)).status).toBe(200);
    expect([before > 0, await known()]).toEqual([true, 0]);
  }),
);

oneInThree()("sign-ups: each of another network is 201, and users with an account sign in meanwhile", again, async () => {
  const users = await people(4);
  const signUps = flood("/v1/auth/signup", (nth) => ({ email: `crowd-${nth}@example.com`, password }));
  const replies = await Promise.all(users.map(({ email }) => gateway.signIn(email)));
  expect(counts(replies.map(({ status }) => status))).toEqual({ 200: users.length });
  expect(counts(await statusesOf(signUps))).toEqual({ 201: networks });
});
