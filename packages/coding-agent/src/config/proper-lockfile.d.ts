/** The part of the package that is used; it brings no types. */
declare module "proper-lockfile" {
  export interface LockOptions {
    /** Milliseconds after which a lock that is not renewed counts as left behind. */
    stale?: number;
    retries?: { retries: number; factor: number; minTimeout: number; maxTimeout: number };
    /** Whether the file must exist. */
    realpath?: boolean;
    onCompromised?: (error: Error) => void;
  }
  /** Resolves with the function that lets go of the lock. */
  export function lock(path: string, options?: LockOptions): Promise<() => Promise<void>>;
}
