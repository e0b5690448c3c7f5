// Keeps a process on the catalog in use: the newest applied version, or the file if no version was applied. It reads when it is told of a change,
// after a reconnect, and every few seconds. If it can't load the new version, it keeps the one that it has.
import type { Clock } from "../clock.ts";
import type { Db } from "../db/connect.ts";
import { type Following, followChanges } from "../concurrency/keep-doing.ts";
import { loadCatalog, type Loaded, type LoadOptions, newlyUnset } from "./load.ts";
import { notePrices, readPriceChanges } from "./price-history.ts";
import type { Catalog } from "./types.ts";
import { catalogChannel, fileVersion, newestVersion, newestVersionId, type VersionWithText } from "./versions.ts";

export interface CatalogFollower extends Pick<Following<Catalog>, "serveWith" | "close"> {
  /** In use by this process; it never changes within a call. */
  readonly catalog: Catalog;
  /** The version that this process can't load, so it still uses another; null: it uses the newest. */
  readonly refused: number | null;
  /** What the file says, read last. */
  readonly fileText: string;
  /** As a version that is applied is loaded; throws CatalogFault. */
  load(text: string): Loaded;
  /** What it listens to. */
  hears: { channel: string; changed: () => void };
  /** The file as it is now: served where no version was applied. False: a version is in use. */
  useFile(catalog: Catalog): boolean;
}

interface Followed {
  db: Db;
  /** What the file says, or what ships. */
  file: Catalog;
  surroundings: Pick<LoadOptions, "environment" | "simulatorUrl">;
  clock: Clock;
  log: { info: (text: string) => void; warn: (text: string) => void; error: (text: string) => void };
  onFault: (error: unknown, what: string) => void;
}

/** Throws if the version in use can't be loaded, so that no call is charged at outdated prices. */
export async function followCatalog(followed: Followed): Promise<CatalogFollower> {
  const { db, log, onFault } = followed;
  const held = holdCatalog(followed);
  const { state, take, note } = held;

  const look = async (serve: () => void): Promise<void> => {
    const { catalog: before, seen } = state;
    if ((await newestVersionId(db)) !== state.seen) {
      const version = await newestVersion(db);
      if (version !== null && version.id !== state.seen) take(version, false);
    }
    await note();
    if (state.catalog === before) return;
    serve();
    if (state.seen !== seen) log.info(`version ${state.seen} of the catalog is in use: its prices apply from now on`);
  };
  const { refresh, serve, serveWith, close } = followChanges(
    () => state.catalog,
    look,
    (error) => onFault(error, "reading the catalog in use"),
  );

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
    get fileText() {
      return state.file.source.text;
    },
    load: (text) => loadCatalog({ text, ...followed.surroundings }),
    hears: { channel: catalogChannel, changed: () => void refresh() },
    useFile(next) {
      if (!held.useFile(next)) return false;
      serve();
      void refresh();
      return true;
    },
    ...{ serveWith, close },
  };
}

/** What one process holds of it, and how that changes. */
function holdCatalog({ db, file, surroundings, clock, log, onFault }: Followed) {
  const state = { file, isFile: true, catalog: file, seen: fileVersion, refused: null as number | null };
  let unnoted = true;

  const following = (catalog: Catalog, version: number): Catalog => {
    const { priceChanges } = state.catalog;
    return { ...catalog, priceChanges, source: { ...catalog.source, version } };
  };
  const use = (catalog: Catalog, seen: number, isFile: boolean) => {
    Object.assign(state, { isFile, seen, refused: null, catalog: following(catalog, seen) });
    unnoted = true;
  };
  const refuse = (version: number, reason: string) => {
    Object.assign(state, { seen: version, refused: version });
    log.error(`version ${version} of the catalog can't be served, the current one stays in use: ${reason}`);
  };
  return {
    state,
    take({ id, text }: VersionWithText, isStart: boolean) {
      if (text === null) return use(state.file, id, true);
      try {
        const loaded = loadCatalog({ text, ...surroundings });
        const unset = isStart ? [] : newlyUnset(loaded, state.catalog);
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
      unnoted = false; // before it waits: another file may come meanwhile
      try {
        await notePrices(db, state.catalog, state.seen, clock());
        const priceChanges = await readPriceChanges(db);
        state.catalog = { ...state.catalog, priceChanges };
      } catch (error) {
        unnoted = true; // the next look tries again
        onFault(error, "noting prices");
      }
    },
    useFile(next: Catalog): boolean {
      state.file = next;
      if (!state.isFile) return false;
      state.catalog = following(next, state.catalog.source.version);
      unnoted = true;
      return true;
    },
  };
}
