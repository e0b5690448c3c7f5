// The addresses of the console, what may stand in them after the question mark, and which chunk shows each. Pages load when they are first
// opened; the operator's are in chunks of their own.
import { createRootRoute, createRoute, createRouter, notFound, redirect } from "@tanstack/react-router";
import { consolePath } from "./lib/place.ts";
import { balanceQuery, isSignedOut, onSessionEnd, queries, recentQuery, sessionQuery } from "./lib/queries.ts";
import { spendQuery } from "./lib/usage.ts";
import { workspaceQuery, workspacesQuery } from "./lib/workspace.ts";
import { lazyPage, NotFound, PageFault, Waiting } from "./shell/faults.tsx";
import { Frame } from "./shell/frame.tsx";
import { PublicFrame } from "./shell/public-frame.tsx";

const root = createRootRoute({ notFoundComponent: NotFound });

// What needs no session.
const outside = createRoute({ getParentRoute: () => root, id: "outside", component: PublicFrame });
const account = () => import("./pages/account/index.ts");
const next = words("next", "email", "code", "state");
const signUp = createRoute({ getParentRoute: () => outside, path: "/sign-up", component: lazyPage(account, "SignUp") });
const signIn = createRoute({
  getParentRoute: () => outside,
  path: "/sign-in",
  validateSearch: next,
  component: lazyPage(account, "SignIn"),
});
const comeBack = createRoute({
  getParentRoute: () => outside,
  path: "/sign-in/$provider",
  component: lazyPage(account, "ComeBack"),
});
const verify = createRoute({
  getParentRoute: () => outside,
  path: "/verify",
  validateSearch: next,
  component: lazyPage(account, "Verify"),
});
const forgot = createRoute({
  getParentRoute: () => outside,
  path: "/forgot-password",
  component: lazyPage(account, "ForgotPassword"),
});
const reset = createRoute({
  getParentRoute: () => outside,
  path: "/reset-password",
  component: lazyPage(account, "ResetPassword"),
});

// What needs one. A missing session leads to the sign-in and back.
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Frame,
  beforeLoad: async ({ location }) => {
    try {
      await queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      throw redirect({ to: "/sign-in", search: { next: location.href } });
    }
  },
  // Read before anything is drawn, so that it is drawn once.
  loader: () => {
    void queries.prefetchQuery(workspaceQuery);
    void queries.prefetchQuery(workspacesQuery);
  },
});
const page = <Path extends string>(path: Path) => ({ getParentRoute: () => inside, path });

// What is below it stands in the operators' own chunks. Anyone else finds nothing here, and loads none of them.
const operator = createRoute({
  ...page("/operator/$"),
  validateSearch: words(
    "q",
    "status",
    "kind",
    "group",
    "model",
    "account",
    "who",
    "action",
    "target",
    "from",
    "to",
    "range",
    "request",
    "job",
  ),
  beforeLoad: async () => {
    if ((await queries.ensureQueryData(sessionQuery)).operator === undefined) throw notFound();
  },
  component: lazyPage(() => import("./operator/operator.tsx"), "Operator"),
});

const home = createRoute({
  ...page("/"),
  validateSearch: words("range", "from", "to"),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => {
    void queries.prefetchQuery(balanceQuery);
    void queries.prefetchQuery(recentQuery);
    void queries.prefetchQuery(spendQuery(deps));
  },
  component: lazyPage(() => import("./pages/home/home.tsx"), "Home"),
});
const keys = createRoute({
  ...page("/keys"),
  validateSearch: words("create"),
  component: lazyPage(() => import("./pages/keys/keys.tsx"), "Keys"),
});

const usage = createRoute({
  ...page("/usage"),
  validateSearch: words("metric", "group", "range", "from", "to", "compare", "live"),
  component: lazyPage(() => import("./pages/usage/usage.tsx"), "Usage"),
});
const logs = createRoute({
  ...page("/logs"),
  validateSearch: words("q", "status", "type", "key", "range", "from", "to", "request"),
  component: lazyPage(() => import("./pages/logs/logs.tsx"), "Logs"),
});
const credit = createRoute({
  ...page("/credit"),
  validateSearch: words("add", "redeem", "auto", "type"),
  component: lazyPage(() => import("./pages/credit/credit.tsx"), "Credit"),
});
const invoices = createRoute({
  ...page("/credit/invoices"),
  component: lazyPage(() => import("./pages/credit/invoices.tsx"), "Invoices"),
});
// Ids of models contain slashes, so all that follows is an id.
const modelRoot = createRoute({ ...page("/models") });
const models = createRoute({
  getParentRoute: () => modelRoot,
  path: "/",
  validateSearch: words("q", "type", "maker", "can"),
  component: lazyPage(() => import("./pages/models/models.tsx"), "Models"),
});
const model = createRoute({
  getParentRoute: () => modelRoot,
  path: "$",
  component: lazyPage(() => import("./pages/models/model.tsx"), "Model"),
});
const playground = createRoute({
  ...page("/playground"),
  validateSearch: words("models", "tab"),
  component: lazyPage(() => import("./pages/playground/playground.tsx"), "Playground"),
});
const limits = createRoute({ ...page("/limits"), component: lazyPage(() => import("./pages/limits/limits.tsx"), "Limits") });
const members = createRoute({
  ...page("/members"),
  validateSearch: words("invite"),
  component: lazyPage(() => import("./pages/members/members.tsx"), "Members"),
});
const invitation = createRoute({
  ...page("/invitations"),
  component: lazyPage(() => import("./pages/members/accept.tsx"), "AcceptInvitation"),
});
const settings = createRoute({
  ...page("/settings"),
  validateSearch: words("webhook"),
  component: lazyPage(() => import("./pages/settings/settings.tsx"), "Settings"),
});

const pages = [
  home,
  keys,
  usage,
  logs,
  credit,
  invoices,
  modelRoot.addChildren([models, model]),
  playground,
  limits,
  members,
  invitation,
  settings,
] as const;
const routeTree = root.addChildren([
  outside.addChildren([signUp, signIn, comeBack, verify, forgot, reset]),
  inside.addChildren([...pages, operator]),
]);

export const router = createRouter({
  routeTree,
  basepath: consolePath,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFault,
  defaultPendingComponent: Waiting,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

onSessionEnd(() => {
  const { href, pathname } = router.state.location;
  if (pathname === "/sign-in") return;
  queries.clear();
  void router.navigate({ to: "/sign-in", search: { next: href } });
});

/** Of what an address says after its question mark: words alone; anything else is left out. */
function words<Name extends string>(...names: Name[]): (search: Record<string, unknown>) => Partial<Record<Name, string>> {
  return (search) => {
    const found: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === "string" && value !== "") found[name] = value;
      else if (typeof value === "number" || typeof value === "boolean") found[name] = String(value);
    }
    return found;
  };
}
