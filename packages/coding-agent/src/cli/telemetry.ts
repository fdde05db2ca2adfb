import { findPackage, importPackage, installCommand } from "../config/named-package.ts";
import { agentFolder } from "../config/paths.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { packageVersion } from "../version.ts";
import { beforeEnd } from "./end-process.ts";

/** The package with traces and metrics. It is no part of this one, and is installed when needed. */
const packageName = "@pikit/otel";

/** The part of `@pikit/otel/pi` that is used. */
interface TelemetryPackage {
  startTelemetry(options: { version: string; report(problem: string): void }): Telemetry;
}

interface Telemetry {
  instrument(session: AgentSession): void;
  /** Sends the rest. It has a time limit of its own, and never rejects. */
  shutdown(): Promise<void>;
}

let started: Promise<Telemetry | undefined> | undefined;

/**
 * Makes traces and metrics of a session, as the environment asks for. The first call loads the package. Never rejects.
 *
 * @param report - Called with one line, once, if the package cannot be used, or the collector does not answer.
 */
export async function instrument(session: AgentSession, report: (problem: string) => void): Promise<void> {
  started ??= start(report);
  (await started)?.instrument(session);
}

async function start(report: (problem: string) => void): Promise<Telemetry | undefined> {
  const agentDir = agentFolder();
  const file = findPackage(`${packageName}/pi`, agentDir);
  if (file === undefined) {
    const advice = `Run: ${installCommand(packageName, agentDir)}, or set OTEL_SDK_DISABLED=true`;
    report(`The environment asks for traces (OTEL_EXPORTER_OTLP_…), but the package ${packageName} is not installed. ${advice}`);
    return undefined;
  }
  try {
    const loaded = await importPackage(file);
    if (!isTelemetryPackage(loaded)) throw new Error("it has no function startTelemetry");
    const telemetry = loaded.startTelemetry({ version: packageVersion(), report });
    beforeEnd(() => telemetry.shutdown());
    return telemetry;
  } catch (error) {
    report(`Cannot load ${packageName} from ${file}: ${String(error)}. Install the version that belongs to this version of pi.`);
    return undefined;
  }
}

function isTelemetryPackage(value: unknown): value is TelemetryPackage {
  return typeof value === "object" && value !== null && "startTelemetry" in value && typeof value.startTelemetry === "function";
}
