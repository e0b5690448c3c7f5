// What /metrics shows of the edge: requests, their durations, how many are open, and the process's own figures.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

export interface Metrics {
  /** Other parts add their own figures here. */
  registry: Registry;
  /** Counts a request as open; call the result once when it is over: it returns the seconds that took. */
  begin: () => (operation: string, status: number) => number;
  /** Counts one attempt at an upstream; the route is provider/model. */
  countAttempt: (route: string, outcome: string) => void;
}

/** From a catalog answer to a long stream. */
const durationBucketsSec = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ["operation", "status"] as const;
  const requests = new Counter({ name: "svc_http_requests_total", help: "Requests answered", labelNames, registers: [registry] });
  const durations = new Histogram({
    name: "svc_http_request_duration_seconds",
    help: "From the request's head to the end of its answer",
    labelNames,
    buckets: durationBucketsSec,
    registers: [registry],
  });
  const attempts = new Counter({
    name: "svc_upstream_attempts_total",
    help: "Attempts at upstreams; outcome is ok, a fault, aborted or breaker_open",
    labelNames: ["route", "outcome"],
    registers: [registry],
  });
  let open = 0;
  new Gauge({
    name: "svc_http_requests_in_flight",
    help: "Requests being answered",
    registers: [registry],
    collect() {
      this.set(open);
    },
  });

  return {
    registry,
    countAttempt: (route, outcome) => attempts.inc({ route, outcome }),
    begin() {
      open += 1;
      const stop = durations.startTimer();
      return (operation, status) => {
        open -= 1;
        requests.inc({ operation, status });
        return stop({ operation, status });
      };
    },
  };
}
