/** Whether a text names a package elsewhere, which must be installed; all other texts are paths. */
export function isRemoteSource(text: string): boolean {
  return /^(?:npm:|git:|https?:\/\/|ssh:\/\/)/.test(text);
}
