export { type InstrumentableSession, type InstrumentSessionOptions, instrumentSession } from "./instrument-session.ts";
