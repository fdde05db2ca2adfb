import type { CustomFactory, CustomOptions, OverlayHandle, OverlayOptions, UiComponent } from "../../../terminal-interface.ts";
import { DoublePress } from "../double-press.ts";
import type { Panel } from "../panel.ts";
import { ComponentPanel } from "./component-panel.ts";
import { Overlay } from "./overlay.ts";
import type { TerminalParts } from "./terminal-parts.ts";

/** The components that extensions show in place of the editor or above it. */
export class CustomComponents {
  readonly #parts: TerminalParts;
  readonly #overlays = new Set<Overlay>();
  /** The open components, and the functions that close them without a result. */
  readonly #components = new Map<UiComponent, () => void>();

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /** Shows a component until it is done. Rejects with the error of a component that fails. */
  async show<T>(
    factory: CustomFactory<T>,
    given: Parameters<CustomFactory<T>>,
    { overlay, overlayOptions = {}, onHandle, signal }: CustomOptions,
  ): Promise<T | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    let isOver = signal?.aborted === true;
    if (isOver) return undefined;
    let close = () => {};
    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener("abort", onAbort);
      close();
      settle();
    };
    const onAbort = () => end(() => resolve(undefined));
    signal?.addEventListener("abort", onAbort, { once: true });
    const [screen, theme, keys] = given;
    try {
      const component = await factory(screen, theme, keys, (result) => end(() => resolve(result)));
      if (isOver) component.dispose?.();
      else {
        const ends = { onHide: onAbort, onFail: (error: unknown) => end(() => reject(error)) };
        const opened = overlay
          ? this.#openOverlay(component, overlayOptions, ends)
          : { close: this.#openPanel(component, new ComponentPanel(component, this.#parts.stage.theme), ends) };
        close = opened.close;
        if ("handle" in opened) onHandle?.(opened.handle);
      }
    } catch (error) {
      end(() => reject(error));
    }
    return promise;
  }

  /** Shows an overlay until the handle's `hide` is called. */
  showOverlay(component: UiComponent, options: OverlayOptions = {}): OverlayHandle {
    const hide = () => opened.close();
    const opened = this.#openOverlay(component, options, {
      onHide: hide,
      onFail: (error) => {
        hide();
        this.#parts.onFailure(error);
      },
    });
    return opened.handle;
  }

  /** The lines of overlays that do not have the keys. */
  lines(width: number): string[] {
    return [...this.#overlays]
      .filter((overlay) => overlay.isBeside)
      .flatMap((overlay) => overlay.render(width, this.#parts.stage.rows));
  }

  invalidate(): void {
    for (const component of this.#components.keys()) component.invalidate?.();
  }

  /** Closes all; their promises resolve with undefined. */
  closeAll(): void {
    for (const close of [...this.#components.values()]) close();
  }

  #openOverlay(
    component: UiComponent,
    options: OverlayOptions | (() => OverlayOptions),
    ends: Ends,
  ): { handle: OverlayHandle; close(): void } {
    const { stage } = this.#parts;
    const overlay = new Overlay(component, {
      theme: stage.theme,
      size: stage,
      options: typeof options === "function" ? options : () => options,
      refresh: () => stage.refresh(true),
      onHide: ends.onHide,
    });
    this.#overlays.add(overlay);
    const closePanel = this.#openPanel(component, overlay, ends);
    const close = () => {
      this.#overlays.delete(overlay);
      closePanel();
    };
    return { handle: overlay.handle, close };
  }

  /** Returns a function that closes the panel, and may be called twice. */
  #openPanel(component: UiComponent, panel: Panel, { onHide, onFail }: Ends): () => void {
    const guard = <R>(act: () => R, otherwise: R): R => {
      try {
        return act();
      } catch (error) {
        // Not at once: the panel is being drawn.
        queueMicrotask(() => onFail(error));
        return otherwise;
      }
    };
    const presses = new DoublePress();
    if ("focused" in component) component.focused = true;
    this.#components.set(component, onHide);
    const closePanel = this.#parts.stage.open({
      render: (width, rows) => guard(() => panel.render(width, rows), []),
      handleKey: (key) => {
        const isClear = this.#parts.stage.keys.matches(key, "clear");
        if (!isClear) presses.reset();
        const isSecond = isClear && presses.press("clear");
        guard(() => panel.handleKey(key), undefined);
        // The way out of a component that takes no keys.
        if (isSecond && this.#components.has(component)) onHide();
      },
      get isHidden() {
        return panel.isHidden === true;
      },
    });
    return () => {
      if (!this.#components.delete(component)) return;
      closePanel();
      component.dispose?.();
    };
  }
}

/** The ways in which a component is closed other than by itself. */
interface Ends {
  onHide(): void;
  onFail(error: unknown): void;
}
