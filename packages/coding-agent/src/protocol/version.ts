/** The version of the protocol that is described here. */
export const protocolVersion = 1;
