interface Exporter<T> {
  export(items: T, done: (result: { code: number; error?: Error }) => void): void;
}

/** Reports the first failed export. The others are silent: spans and metrics are lost until the collector answers again. */
export class FailureReport {
  /** Whether the latest export has failed. */
  isDown = false;
  #hasReported = false;
  readonly #report: (problem: string) => void;

  constructor(report: (problem: string) => void) {
    this.#report = report;
  }

  /** Watches the exports of an exporter, and returns it. */
  watch<T, E extends Exporter<T>>(exporter: E & Exporter<T>): E {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) =>
      send(items, (result) => {
        // 0 is success.
        this.isDown = result.code !== 0;
        if (this.isDown) this.add(result.error);
        done(result);
      });
    return exporter;
  }

  add(error: Error | undefined): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    const reason = describe(error);
    this.#report(
      `Traces and metrics cannot be sent to the collector (OTEL_EXPORTER_OTLP_…)${reason}. The session continues without them.`,
    );
  }
}

function describe(error: Error | undefined): string {
  const text = error?.message || (error as NodeJS.ErrnoException | undefined)?.code || "";
  return text === "" ? "" : `: ${text.slice(0, 300)}`;
}
