import { describe, expect, test } from "vitest";
import { errorForStatus, errorOfResponse, toAiError } from "../src/classify.ts";
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
    "prompt is too long: 212,345 tokens > 200,000 maximum",
    "input is too long for requested model",
    "Your input exceeds the context window of this model.",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 1,196,265 tokens.",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Please reduce the length of the messages or completion.",
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
    "exceeds the maximum allowed input length of 8192 tokens",
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    "the request exceeds the available context size, try increasing it",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    "prompt too long; exceeded max context length by 12 tokens",
    "too large for model with 32768 maximum context length",
    "invalid params, context window exceeds limit",
    "Your request exceeded model token limit: 8192 (requested: 9000)",
    "Range of input length should be [1, 30720]",
    "prompt token count of 130000 exceeds the limit of 128000",
    "token limit exceeded",
    "too many tokens",
  ])("ER-001 to ER-007 %s", (message) => {
    expect(ofStatus(400, message)).toMatchObject({ code: "context_overflow", retryable: false });
  });

  test("OC-030 llama.cpp's status 500 with that type is an overflow", () => {
    expect(errorForStatus(500, "no", { provider: "test", type: "exceed_context_size_error" }).code).toBe("context_overflow");
  });

  test("ER-009 texts about rates, and status 429, are never an overflow", () => {
    expect(ofStatus(429, "too many tokens").code).toBe("rate_limit");
    expect(ofStatus(400, "Rate limit: too many tokens per minute").code).toBe("invalid_request");
  });

  test("ER-015 statuses that have nothing to do with length are never an overflow", () => {
    expect(ofStatus(401, "maximum context length").code).toBe("auth");
    expect(ofStatus(503, "maximum context length").code).toBe("overloaded");
  });
});

test.each([
  "You exceeded your current quota",
  "insufficient_quota",
  "Your credit balance is too low",
  "Monthly usage limit reached",
])("ER-016 429 with “%s” may not be retried", (message) => {
  expect(ofStatus(429, message)).toMatchObject({ code: "rate_limit", retryable: false });
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
    { headers: {}, retryAfterMs: undefined },
  ])("$headers", async ({ headers, retryAfterMs }) => {
    expect(await waitOf(headers as Record<string, string>)).toEqual({ retryAfterMs, retryable: true });
  });

  test("a date", async () => {
    const { retryAfterMs } = await waitOf({ "retry-after": new Date(Date.now() + 30_000).toUTCString() });
    expect(retryAfterMs).toBeGreaterThan(28_000);
    expect(retryAfterMs).toBeLessThanOrEqual(30_000);
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
    "abcd******wxyz",
  ])("show nothing of the key %s", (key) => {
    const { message } = ofStatus(401, `Incorrect key ${key}, try another`);
    expect(message).toMatch(/^401 from test: Incorrect key <key>,? try another/);
  });
});

describe("AI-034 the provider's words", () => {
  test.each(["x", "*", "a.", "<", "://", "- "])("are cut near 4 KB, quickly, also when they are 1 MB of “%s”", async (piece) => {
    const body = `<html>${piece.repeat((1 << 20) / piece.length)}`;
    const start = performance.now();
    expect(ofStatus(400, body).message.length).toBeLessThan(4200);
    expect((await errorOfResponse(new Response(body, { status: 400 }), "test")).message.length).toBeLessThan(4200);
    expect(performance.now() - start).toBeLessThan(2000);
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

  test.each(["ECONNRESET", "ETIMEDOUT", "EPIPE", "EAI_AGAIN", "UND_ERR_SOCKET"])("ER-014 %s is a network error", (code) => {
    expect(toAiError(Object.assign(new Error("x"), { code }), model).code).toBe("network");
  });

  test.each(["socket hang up", "terminated", "premature close", "upstream connect error", "connection lost"])(
    "ER-014 “%s” is a network error",
    (message) => {
      expect(toAiError(new Error(message), model)).toMatchObject({ code: "network", retryable: true });
    },
  );

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
