/** A route of the server. */
export interface Route {
  method: "GET" | "POST";
  /** Segments in braces are parameters. */
  path: string;
  /** Whether the route needs no token: it shows nothing about sessions. */
  isOpen?: boolean;
}

/** All routes by name. The server finds requests in this table, and the OpenAPI document is made from it and from `route-schemas.ts`. */
export const routes = {
  getHealth: { method: "GET", path: "/v1/health", isOpen: true },
  getReady: { method: "GET", path: "/v1/ready", isOpen: true },
  getHealthShort: { method: "GET", path: "/health", isOpen: true },
  getReadyShort: { method: "GET", path: "/ready", isOpen: true },
  getMetrics: { method: "GET", path: "/metrics" },
  getOpenApi: { method: "GET", path: "/v1/openapi.json", isOpen: true },
  listSessions: { method: "GET", path: "/v1/sessions" },
  openSession: { method: "POST", path: "/v1/sessions" },
  getSession: { method: "GET", path: "/v1/sessions/{id}" },
  sendCommand: { method: "POST", path: "/v1/sessions/{id}/commands" },
  streamEvents: { method: "GET", path: "/v1/sessions/{id}/events" },
  openSocket: { method: "GET", path: "/v1/sessions/{id}/socket" },
  getPage: { method: "GET", path: "/", isOpen: true },
  getPageScript: { method: "GET", path: "/page.js", isOpen: true },
  getPageStyle: { method: "GET", path: "/page.css", isOpen: true },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** The names of the routes. */
export const routeNames = Object.keys(routes) as RouteName[];
