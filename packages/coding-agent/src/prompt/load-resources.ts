// What a session loads with its first prompt to read what folder and user bring to it.
export { loadContextFiles } from "./context-files.ts";
export { invokeSkill, loadSkills, skillCommand } from "./skills.ts";
export { invokeTemplate, loadTemplates, templateCommand } from "./templates.ts";
