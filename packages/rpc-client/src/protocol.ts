/**
 * The only values that this package imports from another package. The build copies them, so that both sides use the same code for the
 * protocol and a program with the client need not install the agent. All other imports are types.
 */
export {
  encodeLine,
  LineDecoder,
  maxLineLength,
  readArguments,
  runHostModel,
  SnapshotBuilder,
  toJsonSchema,
} from "@pikit/coding-agent/protocol";
