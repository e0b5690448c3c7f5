// Passwords: hashed with argon2id in the thread pool, stored in the PHC format, which names its own parameters, so that they may change.
// Few at a time: each takes 19 MiB and a core for some 40 ms.
import { argon2, type Argon2Parameters, randomBytes, timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { mayHold } from "../concurrency/slots.ts";
import { fail } from "../errors/fail.ts";

// A fair queue for slow work that strangers may trigger, such as hashing passwords: so many run at once, the others wait in turn by their
// subject, so that a flood about one subject, or about subjects that don't exist, can't starve the rest. Knows nothing of passwords.

interface Asker {
  /** The subject, e.g. an email address. Subjects take turns, each within a fair quota of the queue. Absent: no quota, e.g. in a test. */
  about?: string;
  /** Succeeded here before, or holds a proof: waits in a separate queue. */
  known?: boolean;
  /** A sign-up, about its network: waits in a third queue, so that a flood of sign-ups takes no place of a sign-in. */
  signsUp?: boolean;
  /** For an account that doesn't exist; the timing must not reveal that. */
  ghost?: boolean;
}

interface HashQueue {
  /** Fails with 503 overloaded where the queue is full. Undefined, for ghosts only: the usual time has passed without the work. */
  run<T>(work: () => Promise<T>, asker: Asker): Promise<T | undefined>;
}

interface Waiter {
  ghost: boolean;
  start(hasSlot: boolean): void;
}

interface WaitingList {
  places: number;
  /** How many of them are for subjects that have none waiting. */
  reserved: number;
  /** Without ghosts, which take no space in the queue. */
  waiting: number;
  /** In the order of service; never empty. */
  queues: Map<string, Waiter[]>;
}

const newWaitingList = (places: number, reserved = 0): WaitingList => ({ places, reserved, waiting: 0, queues: new Map() });

/**
 * `places` bounds each of the two queues of sign-ins. That of sign-ups has four times as many, half of them for networks that have none waiting:
 * a flood from a hundred networks leaves room for the next.
 */
export function openHashQueue(runningMax: number, places: number): HashQueue {
  let running = 0;
  const known = newWaitingList(places);
  const others = newWaitingList(places);
  const signUps = newWaitingList(4 * places, 2 * places);
  let lists = [known, others, signUps];
  /** How long the work last took. */
  let lastMs = 0;

  function shift(list: WaitingList): Waiter {
    const [about, queue] = list.queues.entries().next().value!;
    const waiter = queue.shift()!;
    list.queues.delete(about);
    if (queue.length > 0) list.queues.set(about, queue); // behind the other subjects
    if (!waiter.ghost) list.waiting -= 1;
    return waiter;
  }

  function next(): void {
    while (running < runningMax) {
      const list = lists.find(({ queues }) => queues.size > 0);
      if (list === undefined) return;
      const waiter = shift(list);
      waiter.start(!waiter.ghost);
      if (waiter.ghost) continue; // takes no turn
      running += 1;
      lists = [...lists.filter((other) => other !== list), list]; // the lists take turns, so that none starves
    }
  }

  /** Whether there is a slot, now or once it is this caller's turn. */
  async function take({ about, known: isKnown = false, signsUp = false, ghost = false }: Asker): Promise<boolean> {
    if (running < runningMax && lists.every(({ queues }) => queues.size === 0)) {
      running += 1;
      return true; // ghosts as well, since no other caller has to wait
    }
    const list = signsUp ? signUps : isKnown ? known : others;
    const queue = list.queues.get(about ?? "") ?? [];
    const reserved = queue.length === 0 ? 0 : list.reserved;
    // Ghosts are refused like others, except that they count other ghosts: else a refusal would reveal them.
    const free = list.places - reserved - list.waiting - (ghost ? queue.length : 0);
    if (about === undefined ? free < 1 : !mayHold(queue.length, 1, free)) fail("overloaded");
    if (!ghost) list.waiting += 1;
    return new Promise<boolean>((start) => {
      queue.push({ ghost, start });
      list.queues.set(about ?? "", queue);
    });
  }

  return {
    async run(work, asker) {
      if (!(await take(asker))) return void (await sleep(lastMs));
      const begun = performance.now();
      try {
        return await work();
      } finally {
        lastMs = performance.now() - begun;
        running -= 1;
        next();
      }
    },
  };
}

interface Cost {
  /** In KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP's first choice for argon2id. */
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

export async function hashPassword(password: string, asker: Omit<Asker, "ghost"> = {}): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await queue.run(() => derive(password, { ...cost, nonce: salt, tagLength: tagBytes }), asker);
  return phcText(salt, tag as Buffer); // undefined for ghosts only
}

/**
 * `stored` is null for an account without a password and for no account: false, after the same time. The work is done then too, unless others
 * would have to wait for it.
 */
export async function verifyPassword(password: string, stored: string | null, asker: Omit<Asker, "ghost"> = {}): Promise<boolean> {
  const { tag, ...parameters } = parsePhc(stored ?? unknownHash);
  const work = () => derive(password, { ...parameters, tagLength: tag.length });
  const found = await queue.run(work, { ...asker, ghost: stored === null });
  return found !== undefined && timingSafeEqual(found, tag) && stored !== null;
}

function phcText(salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** A random hash, for which no password is known. */
const unknownHash = phcText(randomBytes(saltBytes), randomBytes(tagBytes));

function parsePhc(text: string): Cost & { nonce: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (!match) throw new Error("a stored password has an unknown format");
  const [, memory, passes, parallelism, salt, tag] = match as unknown as string[];
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt!, "base64"),
    tag: Buffer.from(tag!, "base64"),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

/** NFKC makes the same password typed on another keyboard or system the same bytes. */
function derive(password: string, parameters: Omit<Argon2Parameters, "message">): Promise<Buffer> {
  const message = Buffer.from(password.normalize("NFKC"));
  return new Promise((resolve, reject) =>
    argon2("argon2id", { ...parameters, message }, (error, tag) => (error ? reject(error) : resolve(tag))),
  );
}

/** Half of the thread pool; the other half resolves names and reads files meanwhile. */
const runningMax = 2;
/** The last of a full queue waits about two seconds, of sign-ups five; three times as long while all are full. Further callers are told to retry. */
const waitingMax = 64;
const queue = openHashQueue(runningMax, waitingMax);
