import { type ExtensionApi, Type } from "@pikit/coding-agent";

export default function (pi: ExtensionApi): void {
  pi.registerTool({
    name: "lamps",
    description: "Counts lamps.",
    parameters: Type.Object({ place: Type.String() }),
    execute: async (_id, { place }) => ({ content: [{ type: "text", text: `Two lamps in ${place}.` }], details: null }),
  });
}
