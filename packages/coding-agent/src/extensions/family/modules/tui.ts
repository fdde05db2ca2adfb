/** `pi-tui`: the components of the terminal library. There is one copy of them in the process, so that the terminal and extensions share its state. */
export async function loadTui(): Promise<object> {
  const tui = await import("@earendil-works/pi-tui");
  // Version 0.73 has one class for all terminals.
  return { ...tui, TUI: tui.TuiMainScreen };
}
