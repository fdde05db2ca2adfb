/** The version of this protocol. */
export const protocolVersion = 1;
