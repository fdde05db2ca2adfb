// Loaded with the first prompt of a session: the readers of context files, skills and templates, and the system prompt.
export { loadContextFiles } from "./context-files.ts";
export { invokeSkill, loadSkills, skillCommand } from "./skills.ts";
export { buildSystemPrompt } from "./system-prompt.ts";
export { invokeTemplate, loadTemplates, templateCommand } from "./templates.ts";
