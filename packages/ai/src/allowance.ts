/** What a failed answer says that tells whether waiting a minute helps. */
export interface RefusalFacts {
  /** The provider's message and the names that it gives the error. */
  text: string;
  /** The names that it gives the error, alone. */
  code?: string | undefined;
  /** Google's names of the quotas that are used up, such as `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
  quotaIds?: readonly string[] | undefined;
  /** What the provider asked us to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** Codes of accounts without credit. Sources: OpenAI, "Error codes"; Azure; compatible servers that repeat them. */
const accountCodes =
  /\b(?:insufficient_quota|insufficient_(?:credits?|balance|funds)|billing_(?:error|hard_limit_reached|not_active))\b/i;

const longQuotas = /per_?(?:day|week|month)|daily|weekly|monthly/i;

/** An allowance by name, and that it is one of a day or longer; RPD and TPD are requests and tokens per day at OpenAI and Groq. */
const allowance = /limit|quota|allowance|credits?\b|budget/i;
const longSpan = /(?<![a-z])(?:daily|weekly|monthly|per[-_ ]?(?:day|week|month)|[rt]pd)(?![a-z])/i;
/** In the names of Google's quotas, where a gateway puts them into its message. */
const longSpanInName = /Per(?:Day|Week|Month)(?![a-z])/;
/** What also speaks of a minute may well be about the minute. */
const shortSpan = /(?<![a-z])per[-_ ]?min(?:ute)?(?![a-z])|[rt]pm\b|PerMinute/i;

/** Anthropic names the day when a spend limit of a month ends: "You will regain access on 2026-01-01 at 00:00 UTC." */
const endOfSpan =
  /regain access on \d|used all available credits|credit balance is too low|insufficient (?:credits|funds|balance|quota)/i;

/** Texts of used-up accounts that are also those of Google's quotas of a minute, which come with a time to wait. */
const accountTexts = /exceeded your current quota|spend(?:ing)? limit|usage limit|billing/i;
const noQuotaAtAll = /\blimit: 0\b/;
const shortWaitMs = 120_000;
const toldWait = /(?:retry|try again) in [\d.]+ ?(?:s|ms|sec|seconds)\b/i;

/** Whether a provider says that an allowance of a day or longer, or the credit of the account, is used up: no wait of ours cures that. */
export function isUsedUp({ text, code = "", quotaIds = [], retryAfterMs }: RefusalFacts): boolean {
  if (accountCodes.test(code)) return true;
  // Where quotas are named, they decide: one message stands for those of a minute and those of a day.
  if (quotaIds.length > 0) return quotaIds.some((id) => longQuotas.test(id)) || noQuotaAtAll.test(text);
  // Links to pages about billing are in the messages of all limits.
  const words = text.replace(/https?:\/\/\S+/g, "");
  if (endOfSpan.test(words) || accountCodes.test(words)) return true;
  const speaksOfLongSpan = longSpan.test(words) || longSpanInName.test(words);
  if (speaksOfLongSpan && allowance.test(words) && !shortSpan.test(words)) return true;
  if (!accountTexts.test(words)) return false;
  if (noQuotaAtAll.test(words)) return true;
  return !(toldWait.test(words) || (retryAfterMs !== undefined && retryAfterMs <= shortWaitMs));
}
