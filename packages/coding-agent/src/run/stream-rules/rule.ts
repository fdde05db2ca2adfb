/** An automatic correction: when an answer matches `trigger`, it is stopped and the model gets `content`. */
export interface StreamRule {
  name: string;
  description?: string;
  /** The file of the rule, for the user. */
  path: string;
  /** A regular expression in RE2 syntax: no look-around, no back-references. It must not match the empty text. */
  trigger: string;
  /** The text for the model. */
  content: string;
  /** Whether the model gets the stopped answer with the rule (`keep`) or not (`discard`). */
  contextMode: "discard" | "keep";
  /** Whether the rule fires `once` in a session, or again after `repeatGap` turns. */
  repeatMode: "once" | "after-gap";
  /** Complete turns before the rule may fire again, at least 1. Only for `after-gap`. */
  repeatGap: number;
}

/** The default values of a rule file. */
export const ruleDefaults = { contextMode: "discard", repeatMode: "once", repeatGap: 10 } as const;
