import { element } from "./dom.ts";

/** A field of a form. */
export interface Field {
  label: string;
  value?: string;
  placeholder?: string;
  /** Values to choose from; others can be typed. */
  choices?: readonly string[];
}

/** Asks for a text. @returns Undefined if the user has cancelled. */
export async function askText(label: string, value: string): Promise<string | undefined> {
  const values = await askFields(label, [{ label, value }]);
  return values?.[0];
}

/** Asks for several texts in a dialog. @returns Undefined if the user has cancelled. */
export async function askFields(title: string, fields: readonly Field[]): Promise<string[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<string[] | undefined>();
  const inputs = fields.map(({ value = "", placeholder = "", choices = [] }, index) => {
    // With a list, it is announced as a field with choices.
    const hasChoices = choices.length > 0;
    const input = element("input", { placeholder, list: hasChoices ? `choices-${index}` : undefined, autocomplete: "off" });
    input.value = value;
    const list = element("datalist", { id: `choices-${index}` }, ...choices.map((choice) => element("option", { value: choice })));
    return { input, list };
  });
  const submit = (event: Event) => {
    event.preventDefault();
    resolve(inputs.map(({ input }) => input.value));
    dialog.close();
  };
  const rows = fields.map(({ label }, index) => element("label", {}, label, inputs[index]?.input, inputs[index]?.list));
  const cancel = element("button", { type: "button", onclick: () => dialog.close() }, "Cancel");
  const form = element("form", { onsubmit: submit }, element("h2", {}, title), ...rows);
  form.append(
    element("div", { class: "row" }, element("span", { class: "space" }), cancel, element("button", { class: "main" }, "OK")),
  );
  const dialog = element("dialog", { "aria-label": title }, form);
  // Also after Escape.
  dialog.addEventListener("close", () => {
    resolve(undefined);
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}
