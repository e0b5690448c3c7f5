// Asks a CAPTCHA service whether a token of its widget is right, by the `siteverify` that Turnstile, hCaptcha and reCAPTCHA share.
import { Agent, request } from "undici";
import { parseJson } from "../json/parse.ts";

interface CaptchaConfig {
  verifyUrl: string;
  secret: string;
}

export interface Captcha {
  /** `unavailable`: the service did not answer as it should; no sign-up passes meanwhile. */
  verify(token: string, address: string): Promise<"right" | "wrong" | "unavailable">;
  close(): Promise<void>;
}

const deadlineMs = 5_000;
const answerBytesMax = 64 * 1024;
const connectionsMax = 16;

export function openCaptcha({ verifyUrl, secret }: CaptchaConfig, onFault: (error: unknown, what: string) => void): Captcha {
  const agent = new Agent({ connections: connectionsMax, connectTimeout: deadlineMs, maxResponseSize: answerBytesMax });
  return {
    async verify(token, address) {
      try {
        const { statusCode, body } = await request(verifyUrl, {
          dispatcher: agent,
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams({ secret, response: token, remoteip: address }).toString(),
          signal: AbortSignal.timeout(deadlineMs),
        });
        const answer = await body.text();
        if (statusCode !== 200) throw new Error(`status ${statusCode}`);
        return verdictOf(parseJson(answer));
      } catch (error) {
        // Not the error itself: it may hold what was sent, the secret with it.
        onFault(new Error((error as Error).message), "asking the CAPTCHA service");
        return "unavailable";
      }
    },
    close: () => agent.destroy(),
  };
}

/** A secret that the service does not know is the operator's fault, not the caller's. */
function verdictOf(answer: unknown): "right" | "wrong" {
  const { success, "error-codes": codes } = (answer ?? {}) as { success?: unknown; "error-codes"?: unknown };
  if (success === true) return "right";
  if (success !== false) throw new Error("the answer has no success");
  const secretRefused = Array.isArray(codes) && codes.some((code) => /secret|sitekey/.test(String(code)));
  if (secretRefused) throw new Error("the secret was refused");
  return "wrong";
}
