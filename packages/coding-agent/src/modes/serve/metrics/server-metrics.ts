import type { AssistantMessage } from "@pikit/ai";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { AgentSessionEvent } from "../../../session/events.ts";
import { packageVersion } from "../../../version.ts";
import type { LiveSession } from "../live/live-session.ts";

/** Maximum number of models with numbers of their own; all further ones count as `other`. Each one costs memory here and in Prometheus. */
const maxModels = 100;

/** Upper bounds in seconds. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const deltaBuckets = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120];
const runBuckets = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** The state that the gauges show, read at each request for the metrics. */
export interface MetricSources {
  live(): readonly LiveSession[];
  isReady(): Promise<boolean>;
}

/** The numbers of a server in the format of Prometheus. They begin at 0 with the server. */
export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #sources: MetricSources;
  readonly #models = new Set<string>();
  #hasDefaults = false;

  readonly #requests = this.#histogram({
    name: "pi_http_request_duration_seconds",
    help: "Time until a request was answered; for events and sockets, until the stream began.",
    labelNames: ["route", "status"],
    buckets: requestBuckets,
  });
  readonly #runs = this.#counter("pi_runs_total", "Runs that have ended.", ["outcome"]);
  readonly #runDurations = this.#histogram({
    name: "pi_run_duration_seconds",
    help: "Time from the start to the end of a run.",
    buckets: runBuckets,
  });
  readonly #firstDeltas = this.#histogram({
    name: "pi_first_delta_seconds",
    help: "Time from the start of a turn to the first piece of the model's answer.",
    buckets: deltaBuckets,
  });
  readonly #calls = this.#counter("pi_model_calls_total", "Answers of models, by the reason why they ended.", ["model", "reason"]);
  readonly #tokens = this.#counter("pi_tokens_total", "Tokens, as the providers report them.", ["model", "kind"]);
  readonly #cost = this.#counter("pi_cost_usd_total", "Cost of the tokens in US dollars.", ["model"]);

  constructor(sources: MetricSources) {
    this.#sources = sources;
    new Gauge({
      name: "pi_info",
      help: "The version of pi.",
      labelNames: ["version"],
      registers: [this.#registry],
    }).set({ version: packageVersion() }, 1);
    this.#gauge("pi_sessions_live", "Sessions in memory.", (live) => live.length);
    this.#gauge("pi_sessions_running", "Sessions with an active run.", (live) => count(live, ({ session }) => session.isStreaming));
    this.#gauge("pi_watchers", "Connections that watch a session.", (live) => sum(live, ({ watcherCount }) => watcherCount));
    this.#gauge("pi_queued_messages", "Messages that wait for a run.", (live) => sum(live, ({ session }) => session.queues.count));
    this.#gauge("pi_open_questions", "Questions, and calls of host tools and host models, that wait for a client.", (live) =>
      sum(live, ({ openQuestionCount }) => openQuestionCount),
    );
    this.#gauge("pi_ready", "1 if the server takes new work.", async () => ((await sources.isReady()) ? 1 : 0));
  }

  /** Counts an answered request. @param route - The name of its route; `none` if it has none. */
  countRequest(route: string, status: number, seconds: number): void {
    this.#requests.observe({ route, status }, seconds);
  }

  /** Counts what happens in a session from now on. */
  watch(session: Pick<AgentSession, "subscribe">): void {
    /** The starts of the active run, and of the turn that has no answer yet, as times of `performance.now()`. */
    let runAt: number | undefined;
    let turnAt: number | undefined;
    session.subscribe((event) => {
      switch (event.type) {
        case "agent_start":
          runAt = performance.now();
          break;
        case "turn_start":
          turnAt = performance.now();
          break;
        case "message_update":
          if (turnAt === undefined || event.assistantMessageEvent.type === "start") break;
          this.#firstDeltas.observe(secondsSince(turnAt));
          turnAt = undefined;
          break;
        case "message_end":
          if (event.message.role === "assistant") this.#countAnswer(event.message);
          break;
        case "agent_end":
          this.#runs.inc({ outcome: outcomeOf(event) });
          if (runAt !== undefined) this.#runDurations.observe(secondsSince(runAt));
          runAt = undefined;
          break;
      }
    });
  }

  /** The text of all metrics and its media type. The first call begins to measure the process: memory, event loop, garbage collection. */
  async read(): Promise<{ text: string; contentType: string }> {
    if (!this.#hasDefaults) collectDefaultMetrics({ register: this.#registry });
    this.#hasDefaults = true;
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  #countAnswer({ provider, model: id, stopReason: reason, usage }: AssistantMessage): void {
    const model = this.#nameOf(`${provider}/${id}`);
    this.#calls.inc({ model, reason });
    this.#tokens.inc({ model, kind: "input" }, usage.input);
    this.#tokens.inc({ model, kind: "output" }, usage.output);
    this.#tokens.inc({ model, kind: "cache_read" }, usage.cacheRead);
    this.#tokens.inc({ model, kind: "cache_write" }, usage.cacheWrite);
    this.#cost.inc({ model }, usage.cost.total);
  }

  #nameOf(model: string): string {
    if (this.#models.has(model)) return model;
    if (this.#models.size >= maxModels) return "other";
    this.#models.add(model);
    return model;
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<L extends string>(options: { name: string; help: string; labelNames?: L[]; buckets: number[] }): Histogram<L> {
    return new Histogram({ ...options, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, read: (live: readonly LiveSession[]) => number | Promise<number>): void {
    const { live } = this.#sources;
    const collect = async function (this: Gauge) {
      this.set(await read(live()));
    };
    new Gauge({ name, help, registers: [this.#registry], collect });
  }
}

/** How a run ended: as its last answer did. */
function outcomeOf({ messages }: Extract<AgentSessionEvent, { type: "agent_end" }>): "completed" | "failed" | "aborted" {
  const last = messages.findLast(({ role }) => role === "assistant") as AssistantMessage | undefined;
  if (last?.stopReason === "error") return "failed";
  return last?.stopReason === "aborted" ? "aborted" : "completed";
}

function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1000;
}

function sum<T>(items: readonly T[], read: (item: T) => number): number {
  return items.reduce((total, item) => total + read(item), 0);
}

function count<T>(items: readonly T[], matches: (item: T) => boolean): number {
  return items.filter(matches).length;
}
