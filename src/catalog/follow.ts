// Keeps one process on the catalog in use: the newest version that was applied, or the file where there is none. It reads when it hears of a
// change, after a reconnect, and every few seconds, and keeps what it has where it can't load another.
import type { Clock } from "../clock.ts";
import type { Db } from "../db/connect.ts";
import { catalogVariables, loadCatalog, type Loaded, type LoadOptions } from "./load.ts";
import { notePrices } from "./price-history.ts";
import type { Catalog } from "./types.ts";
import { catalogChannel, fileVersion, newestVersion, newestVersionId, type VersionWithText } from "./versions.ts";

export interface CatalogFollower {
  /** In use by this process; it never changes within a call. */
  readonly catalog: Catalog;
  /** A version that this process can't load, so that it still uses another; null: there is none. */
  readonly refused: number | null;
  /** Loads a text as this process would serve it; throws a CatalogFault. */
  load(text: string): Loaded;
  /** The variables that are not set here and that no catalog in use named before. */
  newlyUnset(loaded: Loaded): string[];
  /** Resolves when this process uses the newest version, or has refused it. */
  refresh(): Promise<void>;
  /** What it listens to. */
  hears: { channel: string; changed: () => void };
  /** The file as it is now: served where no version was applied. False: a version is in use. */
  useFile(catalog: Catalog): boolean;
  /** From now on each change is handed to `serve`, and looked for. */
  serveWith(serve: (catalog: Catalog) => void): void;
  close(): void;
}

interface Following {
  db: Db;
  /** What the file says, or what ships. */
  file: Catalog;
  surroundings: Pick<LoadOptions, "environment" | "simulatorUrl">;
  clock: Clock;
  log: { info: (text: string) => void; warn: (text: string) => void; error: (text: string) => void };
  onFault: (error: unknown, what: string) => void;
  everyMs?: number;
}

/** Throws where the version in use can't be loaded: nobody is charged prices that no longer hold. */
export async function followCatalog(following: Following): Promise<CatalogFollower> {
  const { db, log, onFault, everyMs = 5_000 } = following;
  const held = holdCatalog(following);
  const { state, take, note } = held;
  let serve: (catalog: Catalog) => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const before = state.catalog;
    if ((await newestVersionId(db)) !== state.seen) {
      const version = await newestVersion(db);
      if (version !== null && version.id !== state.seen) take(version, false);
    }
    await note();
    if (state.catalog === before) return;
    serve(state.catalog);
    log.info(`version ${state.seen} of the catalog is in use: its prices apply from now on`);
  };
  let running = Promise.resolve();
  const refresh = () => (running = running.then(look).catch((error: unknown) => onFault(error, "reading the catalog in use")));
  const keepLooking = () => {
    timer = setTimeout(() => void refresh().then(() => timer !== undefined && keepLooking()), everyMs).unref();
  };

  const version = await newestVersion(db);
  if (version !== null) take(version, true);
  await note();
  return {
    get catalog() {
      return state.catalog;
    },
    get refused() {
      return state.refused;
    },
    load: held.load,
    newlyUnset: held.newlyUnset,
    refresh,
    hears: { channel: catalogChannel, changed: () => void refresh() },
    useFile(next) {
      if (!held.useFile(next)) return false;
      serve(state.catalog);
      void refresh();
      return true;
    },
    serveWith(given) {
      serve = given;
      serve(state.catalog); // it may have changed since this process began to start
      keepLooking();
    },
    close() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** What one process holds of it, and how that changes. */
function holdCatalog({ db, file, surroundings, clock, log, onFault }: Following) {
  const state = { file, isFile: true, catalog: file, seen: fileVersion, refused: null as number | null };
  let unnoted = true;

  const load = (text: string) => loadCatalog({ text, ...surroundings });
  const newlyUnset = ({ unset }: Loaded) => {
    if (unset.length === 0) return [];
    const named = new Set(catalogVariables(state.catalog));
    return [...new Set(unset.map(({ variable }) => variable))].filter((variable) => !named.has(variable));
  };
  const use = (catalog: Catalog, seen: number, isFile: boolean) => {
    Object.assign(state, { isFile, seen, refused: null, catalog: withVersion(catalog, seen) });
    unnoted = true;
  };
  const refuse = (version: number, reason: string) => {
    Object.assign(state, { seen: version, refused: version });
    log.error(`version ${version} of the catalog can't be served, the current one stays in use: ${reason}`);
  };
  return {
    state,
    load,
    newlyUnset,
    take({ id, text }: VersionWithText, isStart: boolean) {
      if (text === null) return use(state.file, id, true);
      try {
        const loaded = load(text);
        const unset = isStart ? [] : newlyUnset(loaded);
        if (unset.length > 0) return refuse(id, `not set here: ${unset.join(", ")}`);
        for (const warning of loaded.warnings) log.warn(warning);
        use(loaded.catalog, id, false);
      } catch (error) {
        const { message } = error as Error;
        if (!isStart) return refuse(id, message);
        throw new Error(`version ${id} of the catalog can't be served: ${message}\nsvc catalog revert goes back`, { cause: error });
      }
    },
    /** Before the prices are served, so that a page that shows them finds the rows. */
    async note() {
      if (!unnoted || state.refused !== null) return;
      try {
        await notePrices(db, state.catalog, state.seen, clock());
        unnoted = false;
      } catch (error) {
        onFault(error, "noting prices"); // the next look tries again
      }
    },
    useFile(next: Catalog): boolean {
      state.file = next;
      if (!state.isFile) return false;
      state.catalog = withVersion(next, state.catalog.source.version);
      unnoted = true;
      return true;
    },
  };
}

function withVersion(catalog: Catalog, version: number): Catalog {
  return { ...catalog, source: { ...catalog.source, version } };
}
