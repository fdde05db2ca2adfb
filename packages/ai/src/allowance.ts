/** The facts of a failed response that show whether the quota is exhausted for long or only for a minute. */
export interface RefusalFacts {
  /** The provider's error message, followed by its error codes. */
  text: string;
  /** The provider's error codes alone. */
  code?: string | undefined;
  /** Google's names of the exhausted quotas, such as `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
  quotaIds?: readonly string[] | undefined;
  /** The delay that the provider asked for, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** Error codes of accounts without credit. Sources: OpenAI, "Error codes"; Azure; compatible servers that repeat them. */
const accountCodes =
  /\b(?:insufficient_quota|insufficient_(?:credits?|balance|funds)|billing_(?:error|hard_limit_reached|not_active))\b/i;

const longQuotas = /per_?(?:day|week|month)|daily|weekly|monthly/i;

/** A message is about a long quota if it matches both. RPD and TPD are requests and tokens per day at OpenAI and Groq. */
const allowance = /limit|quota|allowance|credits?\b|budget/i;
const longSpan = /(?<![a-z])(?:daily|weekly|monthly|per[-_ ]?(?:day|week|month)|[rt]pd)(?![a-z])/i;
/** Matches Google's quota names that a gateway copied into its message. */
const longSpanInName = /Per(?:Day|Week|Month)(?![a-z])/;
/** A message that also names a minute may be about the quota per minute. */
const shortSpan = /(?<![a-z])per[-_ ]?min(?:ute)?(?![a-z])|[rt]pm\b|PerMinute/i;

/** Anthropic names the day when a spend limit of a month ends: "You will regain access on 2026-01-01 at 00:00 UTC." */
const endOfSpan =
  /regain access on \d|used all available credits|credit balance is too low|insufficient (?:credits|funds|balance|quota)/i;

/** Google uses the same words for its quotas per minute, but adds a delay to those. */
const accountTexts = /exceeded your current quota|spend(?:ing)? limit|usage limit|billing/i;
const noQuotaAtAll = /\blimit: 0\b/;
const shortWaitMs = 120_000;
const toldWait = /(?:retry|try again) in [\d.]+ ?(?:s|ms|sec|seconds)\b/i;

/** Whether a quota of a day or longer, or the credit of the account, is exhausted, so that a retry cannot help. */
export function isUsedUp({ text, code = "", quotaIds = [], retryAfterMs }: RefusalFacts): boolean {
  if (accountCodes.test(code)) return true;
  // Quota names decide if there are any: Google sends the same message for quotas per minute and per day.
  if (quotaIds.length > 0) return quotaIds.some((id) => longQuotas.test(id)) || noQuotaAtAll.test(text);
  // Every rate-limit message links to a page about billing.
  const words = text.replace(/https?:\/\/\S+/g, "");
  if (endOfSpan.test(words) || accountCodes.test(words)) return true;
  const speaksOfLongSpan = longSpan.test(words) || longSpanInName.test(words);
  if (speaksOfLongSpan && allowance.test(words) && !shortSpan.test(words)) return true;
  if (!accountTexts.test(words)) return false;
  if (noQuotaAtAll.test(words)) return true;
  return !(toldWait.test(words) || (retryAfterMs !== undefined && retryAfterMs <= shortWaitMs));
}
