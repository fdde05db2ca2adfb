import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";
import { type Route, type RouteName, routeNames, routes } from "./routes.ts";

/** The route of a request, and the text of its parameters. */
export interface MatchedRoute {
  name: RouteName;
  isOpen: boolean;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** Maximum characters of a request target. */
const maxTargetLength = 8192;

const table = routeNames.map((name) => {
  const { method, path, isOpen = false }: Route = routes[name];
  return { name, method, segments: path.split("/"), isOpen };
});

/**
 * Finds the route of a request. HEAD requests take the route of GET.
 *
 * @throws {HttpError} `bad_request` for a target that is not a path, `not_found`, `method_not_allowed`.
 */
export function matchRoute({ method = "", url = "" }: IncomingMessage): MatchedRoute {
  if (!url.startsWith("/") || url.length > maxTargetLength) {
    throw new HttpError("bad_request", "The request target must be a path of this server, such as /v1/health.");
  }
  const end = url.indexOf("?");
  const segments = (end < 0 ? url : url.slice(0, end)).split("/");
  const found = table.flatMap((route) => {
    const params = matchSegments(route.segments, segments);
    return params ? [{ ...route, params }] : [];
  });
  if (found.length === 0) {
    throw new HttpError("not_found", "There is no such address. GET /v1/openapi.json describes all.");
  }
  const wanted = method === "HEAD" ? "GET" : method;
  const route = found.find((each) => each.method === wanted);
  if (!route) {
    const allowed = found.flatMap((each) => (each.method === "GET" ? ["GET", "HEAD"] : [each.method])).join(", ");
    throw new HttpError("method_not_allowed", `This address takes ${allowed}.`, { allow: allowed });
  }
  const { name, isOpen, params } = route;
  return { name, isOpen, params, query: new URLSearchParams(end < 0 ? "" : url.slice(end + 1)) };
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== segment) return undefined;
      continue;
    }
    const text = tryDecode(segment);
    if (text === undefined || text === "") return undefined;
    params[part.slice(1, -1)] = text;
  }
  return params;
}

function tryDecode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // a broken escape
  }
}
