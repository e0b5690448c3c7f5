// The widget of a CAPTCHA. Its service's script runs in the document of the sign-up alone: only that one's policy allows it, so the page is
// loaded anew where another one led here, and again when it is left.
import type { AuthOptions } from "svc-sdk/types";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { consolePath } from "../../lib/place.ts";

type Widget = NonNullable<AuthOptions["captcha_widget"]>;

/** What both services' scripts offer. */
interface Service {
  render(
    element: HTMLElement,
    options: Record<"callback" | "expired-callback" | "error-callback", (token?: string) => void> & { sitekey: string; theme: string },
  ): string;
  remove(id: string): void;
}

const scripts: Record<Widget["service"], string> = {
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/api.js",
  hcaptcha: "https://js.hcaptcha.com/1/api.js",
};

const ownPath = `${consolePath}/sign-up`;

type State = "loading" | "shown" | "failed";

/** `onToken` gets null when the token has expired. A token holds for one sign-up: a new `key` makes a new widget. */
export function Captcha({ widget, onToken }: { widget: Widget; onToken: (token: string | null) => void }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<State>("loading");
  useEffect(() => {
    if (!isOwnDocument()) return location.replace(ownPath);
    let end = (): void => undefined;
    let ended = false;
    loadScript(widget.service).then(
      (service) => {
        if (ended || place.current === null) return;
        const theme = document.documentElement.classList.contains("dark") ? "dark" : "light";
        const events = { callback: (token?: string) => onToken(token ?? null), "expired-callback": () => onToken(null) };
        const id = service.render(place.current, {
          ...events,
          "error-callback": () => setState("failed"),
          sitekey: widget.site_key,
          theme,
        });
        setState("shown");
        end = () => service.remove(id);
      },
      () => setState("failed"),
    );
    return () => ((ended = true), end());
    // Once: what it tells is kept by the page.
  }, []);
  return (
    <div>
      <div ref={place} />
      {state === "loading" && (
        <p role="status" className="text-quiet">
          Loading the CAPTCHA…
        </p>
      )}
      {state === "failed" && <p role="alert">The CAPTCHA did not load. Check that nothing blocks it, and load the page again.</p>}
    </div>
  );
}

/** Its path is still that which the browser asked the gateway for. */
function isOwnDocument(): boolean {
  const [loaded] = performance.getEntriesByType("navigation");
  return loaded === undefined || new URL(loaded.name).pathname === ownPath;
}

let loading: Promise<Service> | null = null;

function loadScript(service: Widget["service"]): Promise<Service> {
  loading ??= new Promise((resolve, reject) => {
    const ready = "consoleCaptchaReady";
    const scope = globalThis as unknown as Record<string, unknown>;
    scope[ready] = () => resolve(scope[service] as Service);
    const script = document.createElement("script");
    script.src = `${scripts[service]}?render=explicit&onload=${ready}`;
    script.onerror = () => ((loading = null), reject(new Error("the script did not load.")));
    document.head.append(script);
  });
  return loading;
}

/** Leaves the document in which the script runs behind. */
export function useCleanLeave(): void {
  useEffect(() => () => void (loading !== null && location.reload()), []);
}

/** Where the operator named no widget that could be shown. */
export function NoCaptcha({ providers }: Pick<AuthOptions, "providers">): ReactNode {
  return (
    <p className="text-quiet">
      This gateway asks for a CAPTCHA, which this page can’t show: sign up on its operator’s page
      {providers.length > 0 && ", or continue with a provider"}.
    </p>
  );
}
