// What stands in place of a page: it does not exist, it failed, it is on its way.
import { Link, lazyRouteComponent, type ErrorComponentProps } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { SvcError } from "svc-sdk/functions";
import { mayReload, noteUnavailable, useUnavailable } from "../lib/reach.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Loading, Page } from "../ui/parts.tsx";

export function NotFound(): ReactNode {
  return (
    <main className="p-8">
      <NothingHere />
    </main>
  );
}

/** Within a frame, whose main part it is in. */
export function NothingHere(): ReactNode {
  return (
    <Page title="Page not found" about="There is no such page, or your account may not see it.">
      <Link to="/" className="text-accent underline">
        Go to Home
      </Link>
    </Page>
  );
}

/**
 * A page with a file of its own. A file that doesn't come is a gateway that doesn't answer: for the browser's own error the router would reload
 * the document at once, and the browser's page for a missing network would take the console's place.
 */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(
    () =>
      importer().catch((cause: unknown) => {
        throw new SvcError({ message: "The page's file did not come.", code: "connection_failed", retryable: true, cause });
      }),
    name,
  );

/** A page that could not be loaded while the gateway was unavailable is loaded once more when it is back. */
export function PageFault({ error, reset }: ErrorComponentProps): ReactNode {
  const unavailable = useUnavailable();
  const was = useRef(unavailable);
  useEffect(() => noteUnavailable(error), [error]);
  useEffect(() => {
    if (was.current && !unavailable && mayReload()) location.reload();
    was.current = unavailable;
  }, [unavailable]);
  return (
    <div className="mx-auto max-w-2xl p-8">
      <h1 className="mb-4 text-2xl font-semibold">This page could not be shown</h1>
      <ErrorNote error={error} retry={() => (reset(), location.reload())} />
    </div>
  );
}

export function Waiting(): ReactNode {
  return <Loading what="Loading the page" />;
}
