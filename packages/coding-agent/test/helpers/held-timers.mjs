// Loaded before a program whose clock a test holds: timers of a minute or more are called when SIGUSR2 comes, and not before.
const minuteMs = 60_000;
const { setTimeout: setReal } = globalThis;
const held = new Map();

globalThis.setTimeout = (callback, delayMs = 0, ...args) => {
  const timer = setReal(callback, delayMs, ...args);
  if (delayMs >= minuteMs) held.set(timer, () => callback(...args));
  return timer;
};

process.on("SIGUSR2", () => {
  for (const [timer, call] of [...held]) {
    held.delete(timer);
    // One that was cleared is destroyed.
    if (timer._destroyed) continue;
    clearTimeout(timer);
    call();
  }
});
