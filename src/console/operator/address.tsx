// The address of an operator's page: its path below /operator, what it filters, and links to the others.
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

const from = "/inside/operator/$";

export type OperatorSearch = ReturnType<typeof useAddress>["search"];

export function useAddress() {
  const { _splat = "" } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate();
  const go = (path: string, next: typeof search, replace: boolean) =>
    void navigate({ to: "/operator/$", params: { _splat: path }, search: next, replace });
  return {
    path: _splat,
    search,
    /** Changes what the page filters; a word that is empty leaves the address. */
    set: (changed: typeof search) =>
      go(_splat, Object.fromEntries(Object.entries({ ...search, ...changed }).filter(([, value]) => value !== "")), true),
    clear: () => go(_splat, {}, true),
    open: (path: string, next: typeof search = {}) => go(path, next, false),
  };
}

interface OperatorLinkProps {
  path: string;
  search?: OperatorSearch;
  children: ReactNode;
}

export function OperatorLink({ path, search = {}, children }: OperatorLinkProps): ReactNode {
  return (
    <Link
      to="/operator/$"
      params={{ _splat: path }}
      search={search}
      className="break-all text-accent hover:underline"
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </Link>
  );
}
