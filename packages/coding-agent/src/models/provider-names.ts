/** The provider of the models that a program registers, see `host-provider.ts`. */
export const hostProvider = "host";
