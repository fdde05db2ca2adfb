import type { Action, Call } from "../shell/call.ts";
import { plainArg } from "../shell/words.ts";

const ownMachine = /^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)([:/?#]|$)/;
const reading =
  /^(describe|list|get|head|show|lookup|search|filter|batch-get|view|query|scan|select|read|test|validate|wait|help|version|info|status|config|ls|logs|tail)(-.*)?$/;
const changing =
  /^(delete|remove|rm|rb|mb|terminate|stop|start|reboot|destroy|purge|put|create|update|modify|set|reset|deploy|publish|attach|detach|deregister|register|disable|enable|revoke|authorize|cancel|drop|restore|rollback|scale|resize|invoke|run|send|upload|apply|add|promote|release|restart|rotate|submit|unset|truncate|cp|mv|sync|copy|move)(-.*)?$/;

/** Requests to servers, and downloads. */
export const remote: Record<string, Action> = {
  /** Requests that change something; those to this machine are for the developer's own servers. */
  requests(call, on) {
    const method = call.pick(on)[0]?.text ?? (call.has("-T|--upload-file") ? "put" : "get");
    // `http PUT url field=value`
    const urls = on === "1" ? call.operands.slice(1, 2) : [...call.operands, ...call.values("--url")];
    const isOwn = urls.every(({ text }) => ownMachine.test(text));
    return /^(delete|put|patch)$/i.test(method) && !isOwn ? call.does("remote") : undefined;
  },
  downloads(call, on) {
    saveDownload(
      call,
      call.pick(on).map(({ text }) => text),
    );
    return { kind: "download" };
  },
  /** Files in a folder, with the last names of their URLs. */
  downloadsHere(call, on) {
    if (call.has("-O|--output-document") && call.name === "wget") return undefined;
    const folder = call.pick(on)[0]?.text ?? ".";
    const urls = [...call.operands, ...call.values("--url")];
    call.writes([plainArg(folder)]);
    const names = urls.map(({ text }) => text.replace(/[?#].*$/, "").replace(/^.*\//, ""));
    for (const name of names) call.shell.remember(`${folder}/${name}`, { kind: "download" });
    return undefined;
  },
  /** `gh api`. Queries of GraphQL are sent as fields. */
  asksServer(call) {
    const [method] = call.values("-X|--method");
    const fields = call.values("-f|-F|--field|--raw-field");
    const isChange = call.has("--input") || fields.some(({ text }) => !text.startsWith("query=") || text.includes("mutation"));
    return (method ? !/^get$/i.test(method.text) : isChange) ? call.does("remote") : undefined;
  },
  /** Clients with many subcommands in regular names: `aws s3api delete-object`, `gcloud compute instances list`, `heroku apps:destroy`. */
  changesCloud(call) {
    const words = call.operands.slice(0, 6).flatMap(({ text }) => text.split(":"));
    const target = call.operands.at(-1);
    // A copy from a server to this machine.
    if (target && words.some((word) => /^(cp|sync|copy|rsync)$/.test(word)) && !/^[\w-]+:/.test(target.text)) {
      call.does("network");
      return call.writes([target]);
    }
    if (call.has("--prod|--production") || words.some((word) => changing.test(word))) return call.does("remote");
    return call.does(words.some((word) => reading.test(word)) ? "network" : "unknown");
  },
};

function saveDownload(call: Call, paths: readonly string[]): void {
  call.writes(paths.map(plainArg));
  for (const path of paths) call.shell.remember(path, { kind: "download" });
}
