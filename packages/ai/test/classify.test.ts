import { assertLinear } from "@pikit/test-kit";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { errorForStatus, errorInStream, errorOfResponse, toAiError } from "../src/classify.ts";
import { AiError } from "../src/index.ts";
import { testModel } from "./helpers/models.ts";

const model = testModel("test-api", "http://localhost");

function ofStatus(status: number, message = "text", provider = "test") {
  return errorForStatus(status, message, { provider });
}

describe("ER-013 ER-015 the status decides, whatever words the message has", () => {
  test.each([408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])("%i may be retried", (status) => {
    expect(ofStatus(status, "invalid unauthorized")).toMatchObject({ status, retryable: true });
  });

  test.each([400, 401, 402, 403, 404, 405, 413, 422, 501, 505])("%i may not", (status) => {
    expect(ofStatus(status, "overloaded, try again, 500 internal server error")).toMatchObject({ status, retryable: false });
  });

  test.each([
    [400, "invalid_request"],
    [401, "auth"],
    [402, "invalid_request"],
    [403, "auth"],
    [404, "invalid_request"],
    [408, "overloaded"],
    [429, "rate_limit"],
    [500, "overloaded"],
    [529, "overloaded"],
  ])("%i is %s", (status, code) => {
    expect(ofStatus(status).code).toBe(code);
  });
});

describe("context overflow", () => {
  test.each([
    ["ER-001", "prompt is too long: 212,345 tokens > 200,000 maximum"],
    ["ER-001", "input is too long for requested model"],
    ["ER-002", "Error code: context_length_exceeded"],
    ["ER-002", "Your input exceeds the context window of this model. Please adjust your input and try again."],
    ["ER-002 ER-007", "This model's maximum context length is 128000 tokens. However, your messages resulted in 1,196,265 tokens."],
    ["ER-002", "the request exceeds the model's maximum context length of 32768 tokens"],
    ["ER-002", "input length (40000) exceeds model's context length (32768)"],
    ["ER-003", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."],
    ["ER-003 ER-007", "The input token count (1,196,265) exceeds the maximum number of tokens allowed (1,048,575)."],
    ["ER-003", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ["ER-003", "Please reduce the length of the messages or completion."],
    ["ER-004", "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens."],
    ["ER-004", "exceeds the maximum allowed input length of 8192 tokens"],
    ["ER-004", "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
    ["ER-005", "the request exceeds the available context size, try increasing it"],
    ["ER-005", "The number of tokens to keep from the initial prompt is greater than the context length."],
    ["ER-005", "prompt too long; exceeded max context length by 12 tokens"],
    ["ER-006", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
    ["ER-006", "invalid params, context window exceeds limit"],
    ["ER-006", "Your request exceeded model token limit: 8192 (requested: 9000)"],
    ["ER-006", "Range of input length should be [1, 30720]"],
    ["ER-006 ER-007", "prompt token count of 130,000 exceeds the limit of 128,000"],
    ["ER-006", "Prompt too long"],
    ["ER-006", "model_context_window_exceeded"],
    ["ER-006", "token limit exceeded"],
    ["ER-006", "too many tokens"],
  ])("%s %s", (_id, message) => {
    for (const text of [message, message.toUpperCase(), `400 {"error": "${message}"}`]) {
      expect(ofStatus(400, text)).toMatchObject({ code: "context_overflow", retryable: false });
    }
    expect(errorInStream({ message }, "test")).toMatchObject({ code: "context_overflow", retryable: false });
    expect(toAiError(new Error(message), model)).toMatchObject({ code: "context_overflow", retryable: false });
  });

  test("ER-002 the code in the body tells, whatever the message says", async () => {
    const body = JSON.stringify({ error: { message: "No.", type: "invalid_request_error", code: "context_length_exceeded" } });
    expect((await errorOfResponse(new Response(body, { status: 400 }), "test")).code).toBe("context_overflow");
    expect(errorInStream({ type: "context_length_exceeded", message: "No." }, "test").code).toBe("context_overflow");
  });

  test.each([400, 413])("ER-008 status %i without a message is an overflow only where the vendor says nothing else", (status) => {
    expect(errorForStatus(status, "", { provider: "c", emptyIsOverflow: true })).toMatchObject({
      code: "context_overflow",
      retryable: false,
    });
    const other = status === 413 ? "request_too_large" : "invalid_request";
    expect(errorForStatus(status, "bad", { provider: "c", emptyIsOverflow: true }).code).toBe(other);
    expect(ofStatus(status, "").code).toBe(other);
  });

  test.each([
    [413, "Payload Too Large"],
    [413, "request entity too large"],
    [413, "Request exceeds the maximum size of 32 MB"],
    [400, "Request Entity Too Large"],
  ])("ER-010 %i %s is about bytes: no overflow, and cured by no waiting", (status, message) => {
    expect(ofStatus(status, message)).toMatchObject({ code: "request_too_large", retryable: false });
    expect(errorForStatus(status, message, { provider: "test", shouldRetry: true }).retryable).toBe(false);
  });

  test("ER-010 Anthropic's name of it inside a stream, unless it speaks of tokens", () => {
    expect(errorInStream({ type: "request_too_large", message: "too big" }, "test").code).toBe("request_too_large");
    expect(ofStatus(413, "prompt is too long: 212345 tokens > 200000 maximum").code).toBe("context_overflow");
  });

  test("ER-011 more tokens at once than a minute allows is an overflow, fewer are a matter of waiting", () => {
    const text = (limit: string, requested: string) =>
      `Request too large for gpt-x on tokens per minute (TPM): Limit ${limit}, Requested ${requested}. Visit the pricing page.`;
    expect(ofStatus(429, text("30000", "40,123"))).toMatchObject({ code: "context_overflow", retryable: false });
    expect(ofStatus(413, text("30,000", "40123"))).toMatchObject({ code: "context_overflow", retryable: false });
    expect(ofStatus(429, text("30000", "20000"))).toMatchObject({ code: "rate_limit", retryable: true });
  });

  test("OC-030 llama.cpp's status 500 with that type is an overflow", () => {
    expect(errorForStatus(500, "no", { provider: "test", type: "exceed_context_size_error" }).code).toBe("context_overflow");
  });

  test("ER-009 texts about rates, and status 429, are never an overflow", () => {
    expect(ofStatus(429, "too many tokens").code).toBe("rate_limit");
    expect(ofStatus(429, "prompt is too long: 1 token > 0 maximum")).toMatchObject({ code: "rate_limit", retryable: true });
    expect(ofStatus(400, "Rate limit: too many tokens per minute").code).toBe("invalid_request");
    expect(errorInStream({ type: "rate_limit_error", message: "too many tokens" }, "test").code).toBe("rate_limit");
  });

  test("ER-015 statuses that have nothing to do with length are never an overflow", () => {
    expect(ofStatus(401, "maximum context length").code).toBe("auth");
    expect(ofStatus(503, "maximum context length").code).toBe("overloaded");
  });
});

describe("ER-016 status 429 that no waiting cures", () => {
  test.each([
    "You exceeded your current quota, please check your plan and billing details",
    "insufficient_quota",
    "Your credit balance is too low to access the API",
    "Insufficient credits. Add more to continue",
    "You have reached your spend limit",
    "You have reached your specified spending limit",
    "usage limit reached for this plan",
    "Monthly usage limit exceeded",
  ])("%s", (message) => {
    expect(ofStatus(429, message)).toMatchObject({ code: "rate_limit", retryable: false });
    expect(errorInStream({ message }, "test")).toMatchObject({ code: "rate_limit", retryable: false });
  });

  test("by the code in the body", async () => {
    const body = JSON.stringify({ error: { message: "No.", code: "insufficient_quota" } });
    expect((await errorOfResponse(new Response(body, { status: 429 }), "test")).retryable).toBe(false);
  });
});

describe("ER-016 an allowance of a day or longer that is used up is not asked for again, whatever the status", () => {
  const groq = (span: string, wait: string) =>
    `Rate limit reached for model \`llama\` in organization \`org_1\` service tier \`on_demand\` on ${span}: Limit 100000, Used 97050, ` +
    `Requested 3619. Please try again in ${wait}. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing`;

  test.each([
    groq("tokens per day (TPD)", "9m38.016s"),
    "Rate limit reached for gpt-4o-mini in organization org-1 on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 8.64s.",
    "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
    "Rate limit exceeded: free-models-per-day-high-balance.",
    "Key limit exceeded (daily limit). Manage it using https://openrouter.ai/settings/keys",
    "Your team 16f2151a has either used all available credits or reached its monthly spending limit. Please purchase more credits.",
    "You have reached your specified workspace API usage limits. You will regain access on 2025-06-01 at 00:00 UTC.",
    "You have exceeded your monthly quota (Request ID: F278)",
    "You have exhausted your daily quota on this model.",
    "Token limit (500,000 per day) exceeded. Used: 508,311 tokens.",
    '{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "message": "quota exceeded"}',
  ])("%s", (message) => {
    for (const status of [400, 402, 403, 429, 500, 503, 529]) {
      const error = errorForStatus(status, message, { provider: "test", shouldRetry: true, retryAfterMs: 8640 });
      expect(error).toMatchObject({ code: "rate_limit", status, retryable: false });
    }
    expect(errorInStream({ message }, "test")).toMatchObject({ code: "rate_limit", retryable: false });
    expect(errorInStream({ type: "server_error", message }, "test")).toMatchObject({ code: "rate_limit", retryable: false });
  });

  test.each([
    groq("tokens per minute (TPM)", "4.2s"),
    "Rate limit reached on requests per min (RPM): Limit 3. Please try again in 20s. Add a payment method at https://platform.openai.com/account/billing.",
    "This request would exceed your account's rate limit. Please try again later.",
    "Daily maintenance in progress",
  ])("one of a minute is: %s", (message) => {
    expect(ofStatus(429, message)).toMatchObject({ code: "rate_limit", retryable: true });
    expect(ofStatus(503, message)).toMatchObject({ code: "overloaded", retryable: true });
  });

  /** Google says the same of both. */
  const google = (retryDelay: string | undefined, ...quotaIds: string[]) => ({
    error: {
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      message: "You exceeded your current quota, please check your plan and billing details.",
      details: [
        { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: quotaIds.map((quotaId) => ({ quotaId })) },
        ...(retryDelay ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] : []),
      ],
    },
  });

  test.each([
    { quotas: ["GenerateRequestsPerDayPerProjectPerModel-FreeTier"], delay: "45s", retryable: false },
    {
      quotas: ["GenerateRequestsPerMinutePerProjectPerModel", "GenerateRequestsPerDayPerProjectPerModel"],
      delay: "45s",
      retryable: false,
    },
    { quotas: ["GenerateContentPaidTierInputTokensPerModelPerMinute"], delay: undefined, retryable: true },
    { quotas: ["GenerateContentPaidTierInputTokensPerModelPerMinute"], delay: "45s", retryable: true },
    { quotas: [], delay: "45.5s", retryable: true },
    { quotas: [], delay: "36000s", retryable: false },
    { quotas: [], delay: undefined, retryable: false },
  ])("Google's quotas $quotas with the wait $delay", async ({ quotas, delay, retryable }) => {
    const body = google(delay, ...quotas);
    for (const form of [body, [body]]) {
      const error = await errorOfResponse(new Response(JSON.stringify(form), { status: 429 }), "test");
      expect(error).toMatchObject({ code: "rate_limit", retryable });
    }
    const inStream = errorInStream({ type: 429, message: body.error.message, body: body.error }, "test");
    expect(inStream).toMatchObject({ code: "rate_limit", retryable });
  });
});

describe("ER-013 errors without a status, by their text", () => {
  test.each([
    "Overloaded",
    "The model is experiencing high demand",
    "server_error",
    "Internal error encountered.",
    "internal server error",
    "Service Unavailable",
    "Provider returned error",
    "ResourceExhausted: try later",
    "You can retry your request, or contact us",
    "Please try your request again",
  ])("%s may be retried", (message) => {
    expect(toAiError(new Error(message), model)).toMatchObject({ code: "overloaded", retryable: true });
    expect(errorInStream({ message }, "test")).toMatchObject({ code: "overloaded", retryable: true });
  });

  test("any other one may not, except in a stream, where it came in the midst of an answer", () => {
    expect(toAiError(new Error("cannot read property"), model)).toMatchObject({ code: "invalid_request", retryable: false });
    expect(errorInStream({ message: "something odd" }, "test")).toMatchObject({ code: "bad_response", retryable: true });
  });

  test.each([
    ["RESOURCE_EXHAUSTED", "rate_limit"],
    ["UNAVAILABLE", "overloaded"],
    ["INVALID_ARGUMENT", "invalid_request"],
    ["UNAUTHENTICATED", "auth"],
    [503, "overloaded"],
    ["529", "overloaded"],
  ])("in a stream, the type %s is %s", (type, code) => {
    expect(errorInStream({ type, message: "x" }, "test").code).toBe(code);
  });
});

describe("ER-017 what a filter stopped is not asked again", () => {
  test.each([
    { status: 400, error: { message: "The response was filtered", code: "content_filter" } },
    { status: 400, error: { message: "Blocked", code: "content_policy_violation" } },
    { status: 400, error: { message: "Filtered", code: null, innererror: { code: "ResponsibleAIPolicyViolation" } } },
  ])("$error", async ({ status, error }) => {
    const failure = await errorOfResponse(new Response(JSON.stringify({ error }), { status }), "test");
    expect(failure).toMatchObject({ code: "refused", retryable: false });
  });

  test("inside a stream, and for our own codes", () => {
    expect(errorInStream({ type: "content_filter", message: "Filtered" }, "test")).toMatchObject({
      code: "refused",
      retryable: false,
    });
    for (const code of ["refused", "aborted", "context_overflow", "auth", "invalid_request", "unsupported"] as const) {
      expect(new AiError(code, "x").retryable).toBe(false);
    }
  });
});

test.each([400, 401, 402, 403, 404, 422])("ER-015 status %i is final, though its text promises more", (status) => {
  for (const text of ["overloaded", "Please try your request again", "rate limit", "server_error", "ECONNRESET", "fetch failed"]) {
    expect(ofStatus(status, text)).toMatchObject({ status, retryable: false });
  }
});

describe("ER-018 what the provider asks us to wait", () => {
  async function waitOf(headers: Record<string, string>) {
    const { retryAfterMs, retryable } = await errorOfResponse(new Response("slow", { status: 429, headers }), "test");
    return { retryAfterMs, retryable };
  }

  test.each([
    { headers: { "retry-after": "7" }, retryAfterMs: 7000 },
    { headers: { "retry-after": "0.5" }, retryAfterMs: 500 },
    { headers: { "retry-after-ms": "250", "retry-after": "7" }, retryAfterMs: 250 },
    { headers: { "retry-after-ms": "soon", "retry-after": "7" }, retryAfterMs: 7000 },
    { headers: { "retry-after": "-5" }, retryAfterMs: undefined },
    { headers: { "retry-after": "NaN" }, retryAfterMs: undefined },
    { headers: { "retry-after": "later" }, retryAfterMs: undefined },
    { headers: { "retry-after": "Infinity" }, retryAfterMs: undefined },
    { headers: { "retry-after": "99999999999" }, retryAfterMs: undefined },
    { headers: { "retry-after-ms": "1e300" }, retryAfterMs: undefined },
    { headers: { "retry-after": "7200" }, retryAfterMs: 7_200_000 },
    { headers: {}, retryAfterMs: undefined },
  ])("$headers", async ({ headers, retryAfterMs }) => {
    expect(await waitOf(headers as Record<string, string>)).toEqual({ retryAfterMs, retryable: true });
  });

  test("a date", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1, 12, 0, 0) });
    onTestFinished(() => void vi.useRealTimers());
    expect(await waitOf({ "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT" })).toEqual({ retryAfterMs: 30_000, retryable: true });
  });

  test("Google's retryDelay in the body, where no header says it", async () => {
    const details = [{ "@type": "QuotaFailure" }, { "@type": "RetryInfo", retryDelay: "39.5s" }];
    for (const body of [{ error: { details } }, [{ error: { details } }]]) {
      const text = JSON.stringify(body);
      expect((await errorOfResponse(new Response(text, { status: 429 }), "test")).retryAfterMs).toBe(39_500);
      const response = new Response(text, { status: 429, headers: { "retry-after": "7" } });
      expect((await errorOfResponse(response, "test")).retryAfterMs).toBe(7000);
    }
  });

  test("x-should-retry decides over the status", async () => {
    expect((await waitOf({ "x-should-retry": "false" })).retryable).toBe(false);
    const conflict = new Response("no", { status: 400, headers: { "x-should-retry": "true" } });
    expect((await errorOfResponse(conflict, "test")).retryable).toBe(true);
  });
});

describe("ER-024 401 and 403", () => {
  test("name the provider and the variable to set", () => {
    expect(ofStatus(401, "bad key", "anthropic").message).toBe("401 from anthropic: bad key (check ANTHROPIC_API_KEY)");
    expect(ofStatus(403, "no", "mine").message).toBe("403 from mine: no (check the API key configured for mine)");
  });

  test.each([
    "sk-ant-api03-abcdef",
    "sk-proj-***************wxyz",
    "Bearer abc.defg",
    "xai-1234567",
    "gsk_abcdef12",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "abcd******wxyz",
  ])("show nothing of the key %s", (key) => {
    const { message } = ofStatus(401, `Incorrect key ${key}, try another`);
    expect(message).toMatch(/^401 from test: Incorrect key <key>,? try another/);
  });
});

describe("AI-034 the provider's words", () => {
  test.each(["x", "*", "a.", "<", "://", "- ", "<title", "<style"])(
    "are cut near 4 KB in linear time, also when they are 1 MB of “%s”",
    async (piece) => {
      await assertLinear(1 << 20, (size) => {
        const body = `<html>${piece.repeat(size / piece.length)}`;
        return async () => {
          expect(ofStatus(400, body).message.length).toBeLessThan(4200);
          expect((await errorOfResponse(new Response(body, { status: 400 }), "test")).message.length).toBeLessThan(4200);
        };
      });
    },
  );

  test("are found in the forms that vendors and proxies use", async () => {
    const forms = [
      { error: { message: "Nope" } },
      [{ error: { message: "Nope" } }],
      { error: "Nope" },
      { message: "Nope" },
      { detail: "Nope" },
      { error: { error: { message: "Nope" } } },
      "Nope",
    ];
    for (const form of forms) {
      const failure = await errorOfResponse(new Response(JSON.stringify(form), { status: 400 }), "test");
      expect(failure.message).toBe("400 from test: Nope");
    }
  });

  test("are never [object Object]", async () => {
    const body = JSON.stringify({ error: { code: 7, details: [{ reason: "odd" }] } });
    const { message } = await errorOfResponse(new Response(body, { status: 400 }), "test");
    expect(message).toBe('400 from test: {"code":7,"details":[{"reason":"odd"}]}');
  });
});

describe("toAiError", () => {
  test("leaves our own errors as they are, also inside another error", () => {
    const own = new AiError("refused", "no");
    expect(toAiError(own, model)).toBe(own);
    expect(toAiError(new Error("Connection error.", { cause: own }), model)).toBe(own);
  });

  test("reads SDK errors by their fields", () => {
    const error = Object.assign(new Error("429 Slow down"), {
      status: 429,
      headers: new Headers({ "retry-after": "3" }),
      error: { error: { message: "Slow down" } },
    });
    expect(toAiError(error, model)).toMatchObject({
      code: "rate_limit",
      status: 429,
      retryAfterMs: 3000,
      message: "429 from test: Slow down",
      cause: error,
    });
    expect(toAiError(Object.assign(new Error("503 upstream down"), { status: 503 }), model)).toMatchObject({
      code: "overloaded",
      message: "503 from test: upstream down",
    });
  });

  test.each([
    {
      cause: Object.assign(new Error("getaddrinfo ENOTFOUND host"), { code: "ENOTFOUND" }),
      text: "fetch failed: getaddrinfo ENOTFOUND host",
    },
    { cause: Object.assign(new Error(""), { code: "ECONNRESET" }), text: "fetch failed: ECONNRESET" },
    {
      cause: new AggregateError([new Error("connect ECONNREFUSED ::1:80")], ""),
      text: "fetch failed: connect ECONNREFUSED ::1:80",
    },
    { cause: undefined, text: "fetch failed" },
  ])("ER-014 ER-025 shows the root cause: $text", ({ cause, text }) => {
    const error = toAiError(new TypeError("fetch failed", { cause }), model);
    expect(error).toMatchObject({ code: "network", retryable: true, message: `No answer from test: ${text}` });
  });

  test.each(["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE", "EAI_AGAIN", "ENOTFOUND", "UND_ERR_SOCKET"])(
    "ER-014 %s is a network error",
    (code) => {
      expect(toAiError(Object.assign(new Error("x"), { code }), model).code).toBe("network");
    },
  );

  test.each([
    "fetch failed",
    "socket hang up",
    "terminated",
    "other side closed",
    "Premature close",
    "upstream connect error or disconnect/reset before headers",
    "connection lost",
    "Request timed out.",
  ])("ER-014 “%s” is a network error", (message) => {
    expect(toAiError(new Error(message), model)).toMatchObject({ code: "network", retryable: true });
  });

  test("AI-006 an abort that is not ours is a broken connection", () => {
    expect(toAiError(new DOMException("This operation was aborted", "AbortError"), model).code).toBe("network");
  });

  test.each([
    { thrown: "plain text", message: "plain text" },
    { thrown: { message: "in an object" }, message: "in an object" },
    { thrown: { odd: 1 }, message: '{"odd":1}' },
    { thrown: undefined, message: "undefined" },
    { thrown: new Error(""), message: "Error" },
  ])("ER-025 renders $message", ({ thrown, message }) => {
    const error = toAiError(thrown, model);
    expect(error).toMatchObject({ code: "invalid_request", retryable: false, message });
    expect(error.cause).toBe(thrown);
  });

  test("ER-025 copes with cycles", () => {
    const error = new Error("round");
    error.cause = error;
    expect(toAiError(error, model).message).toBe("round");
    const object: Record<string, unknown> = {};
    object.self = object;
    expect(toAiError(object, model).message).toBe("an object that cannot be shown");
  });

  test("ER-025 shows no credentials of a URL", () => {
    const { message } = toAiError(new Error("Failed to parse URL from http://me:secret@host/v1"), model);
    expect(message).toBe("Failed to parse URL from http://host/v1");
  });
});
