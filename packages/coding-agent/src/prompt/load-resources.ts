// What a session loads with its first prompt to read what folder and user bring to it, and to say it to the model.
export { loadContextFiles } from "./context-files.ts";
export { invokeSkill, loadSkills, skillCommand } from "./skills.ts";
export { buildSystemPrompt } from "./system-prompt.ts";
export { invokeTemplate, loadTemplates, templateCommand } from "./templates.ts";
