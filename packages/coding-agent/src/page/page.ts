import { App } from "./view/app.ts";

const root = document.getElementById("app");
if (root) new App(root);
