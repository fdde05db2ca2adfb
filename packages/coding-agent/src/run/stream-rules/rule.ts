/** A correction that comes by itself: when the model writes what `trigger` describes, it is stopped and reads `content`. */
export interface StreamRule {
  name: string;
  description?: string;
  /** The file that the rule is from, for people. */
  path: string;
  /** A regular expression in RE2 syntax: no look-around, no back-references. It must not match the empty text. */
  trigger: string;
  /** What the model reads. */
  content: string;
  /** What becomes of the answer that was stopped: the model does not see it again (`discard`), or reads it with the rule (`keep`). */
  contextMode: "discard" | "keep";
  /** `once` in a session, or again after `repeatGap` turns. */
  repeatMode: "once" | "after-gap";
  /** Turns that must end before the rule may stop an answer again; at least 1 counts. Only for `after-gap`. */
  repeatGap: number;
}

/** What a rule has that does not say so itself. */
export const ruleDefaults = { contextMode: "discard", repeatMode: "once", repeatGap: 10 } as const;
