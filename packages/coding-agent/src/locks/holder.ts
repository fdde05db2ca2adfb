import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { lookUpProcess } from "./process-start.ts";

/** The holder of a lock: a process, as the lock file describes it. */
export interface Holder {
  pid: number;
  /** As `lookUpProcess` returns it. */
  startTime: string;
  host: string;
  /** Linux: the namespace of `pid`. Each container has its own, even if several containers share a host name. */
  pidNamespace?: string;
  /** The time when the lock was taken; ISO 8601. */
  since?: string;
}

type Self = Omit<Holder, "since">;

let own: Self | undefined;

/** This process. */
export function ownProcess(): Self {
  own ??= describeSelf();
  return own;
}

function describeSelf(): Self {
  const { pid } = process;
  const pidNamespace = findPidNamespace();
  const self = { pid, startTime: lookUpProcess(pid).startTime, host: hostname() };
  return pidNamespace === undefined ? self : { ...self, pidNamespace };
}

/** See pid_namespaces(7): two processes are in one namespace when these links are equal. */
function findPidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined; // not Linux, or no /proc
  }
}

/** Reads the content of a lock file. Returns undefined if it names no process. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startTime, host, pidNamespace, since } = JSON.parse(text) as Record<string, unknown>;
    if (!Number.isInteger(pid) || Number(pid) <= 0) return undefined;
    return {
      ...{ pid: Number(pid), startTime: String(startTime), host: String(host) },
      ...(typeof pidNamespace === "string" ? { pidNamespace } : {}),
      ...(typeof since === "string" ? { since } : {}),
    };
  } catch {
    return undefined; // not JSON
  }
}

/** Whether two descriptions are of one process. */
export function isSameProcess(a: Self, b: Self): boolean {
  return a.pid === b.pid && a.startTime === b.startTime && a.host === b.host && a.pidNamespace === b.pidNamespace;
}

/** Whether the holder is, or was, on another host or in another container: this system cannot see whether it still runs. */
export function isElsewhere({ host, pidNamespace }: Self): boolean {
  const self = ownProcess();
  if (host !== self.host) return true;
  return pidNamespace !== undefined && self.pidNamespace !== undefined && pidNamespace !== self.pidNamespace;
}

/** Whether the holder may still run. A holder elsewhere counts as running. */
export function mayBeRunning(holder: Self): boolean {
  if (isElsewhere(holder)) return true;
  const now = lookUpProcess(holder.pid);
  return now.isRunning && (now.startTime === "" || holder.startTime === "" || now.startTime === holder.startTime);
}

/** The name of the holder for the middle of a sentence. For a holder elsewhere, with its host and the time when it took the lock. */
export function describeHolder(holder: Holder): string {
  const { pid, host, since } = holder;
  const self = ownProcess();
  if (!isElsewhere(holder)) return pid === self.pid ? `this process (${pid})` : `process ${pid}`;
  const place = host === self.host ? `another container of ${host}` : host;
  return `process ${pid} of ${place}${since === undefined ? "" : ` since ${since}`}`;
}
