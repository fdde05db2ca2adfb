import { isToken } from "../address.ts";
import { element, setText } from "./dom.ts";

/** Asks for the token of the server. @param reason - The reason, if there was a token and the server refused it. */
export function createTokenForm(reason: string | undefined, onToken: (token: string) => void): HTMLElement {
  const field = element("input", { type: "password", autocomplete: "off", "aria-label": "Token", required: true });
  const problem = element("p", { class: "failed", role: "alert" }, reason ?? "");
  const submit = (event: Event) => {
    event.preventDefault();
    const token = field.value.trim();
    if (isToken(token)) onToken(token);
    else setText(problem, "This is no token: it has letters, digits, - and _ only.");
  };
  const form = element("form", { onsubmit: submit }, field, element("button", { class: "main" }, "Open"));
  const help = "Open the link that pi serve has printed, or enter the token: it is in the file that pi serve names.";
  return element("main", { class: "token" }, element("h1", {}, "pi"), element("p", {}, help), problem, form);
}
