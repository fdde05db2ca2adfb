/**
 * The only values that this package takes from another one, and the build copies them in: what reads the protocol is the same code on
 * both ends, and a program that uses the client need not install the agent. Everything else of it is imported as types.
 */
export { encodeLine, LineDecoder, maxLineLength, readArguments, SnapshotBuilder, toJsonSchema } from "@pikit/coding-agent/protocol";
