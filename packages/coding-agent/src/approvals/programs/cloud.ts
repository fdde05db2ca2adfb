import type { Rule, Table } from "../shell/call.ts";
import { family } from "./family.ts";

/** Clients whose subcommands are many, in regular names: `aws s3api delete-object`, `gcloud compute instances list`, `heroku apps:destroy`. */
const verbNames: Rule = (call) => {
  const { operands, has } = call.options(
    "profile region output query project format zone subscription g resource-group n name o c i t",
  );
  const words = operands.slice(0, 6).flatMap(({ text }) => text?.split(":") ?? ["?"]);
  const target = operands.at(-1);
  const isCopy = words.some((word) => /^(cp|sync|copy|rsync)$/.test(word));
  // A copy from a server to this machine.
  if (isCopy && target?.text !== undefined && !/^[\w-]+:/.test(target.text)) {
    call.does("network");
    return call.writes([target]);
  }
  const changes = has("prod", "production") || words.some((word) => changing.test(word));
  call.does(changes ? "remote" : words.some((word) => reading.test(word)) ? "network" : "unknown");
  return undefined;
};

const reading =
  /^(describe|list|get|head|show|lookup|search|filter|batch-get|view|query|scan|select|read|test|validate|wait|help|version|info|status|config|ls|logs|tail)(-.*)?$/;
const changing =
  /^(delete|remove|rm|rb|mb|terminate|stop|start|reboot|destroy|purge|put|create|update|modify|set|reset|deploy|publish|attach|detach|deregister|register|disable|enable|revoke|authorize|cancel|drop|restore|rollback|scale|resize|invoke|run|send|upload|apply|add|promote|release|restart|rotate|submit|unset|truncate|cp|mv|sync|copy|move)(-.*)?$/;

const kubectl = family({
  valued:
    "n namespace context f filename l selector o output c container kubeconfig cluster user type p patch revision tail since replicas",
  verbs: {
    network:
      "get, describe, logs, top, explain, version, api-resources, api-versions, cluster-info, auth, diff, events, wait, port-forward, proxy, " +
      "rollout status|history, config view|get-contexts|current-context|get-clusters, kustomize, plugin, completion, options",
    runs: "exec, debug, attach, cp, config",
    remote:
      "delete, apply, create, replace, patch, edit, scale, autoscale, drain, cordon, uncordon, taint, label, annotate, expose, run, set, certificate, " +
      "rollout restart|undo|pause|resume, adm, new-app, delete-project",
  },
  instead: { network: "apply|create|delete|replace|patch|scale|run --dry-run=*" },
});

const docker = family({
  valued: "H host c context f file p project-name n t tag filter format platform build-arg",
  verbs: {
    read:
      "ps, images, inspect, logs, version, info, stats, top, port, history, diff, events, context ls|show|inspect, search, " +
      "container|image|volume|network|node|service|stack|secret|config|plugin|builder|buildx ls|list|inspect|logs|top|stats|history|ps|du|diff, system df|info|events, " +
      "compose ps|logs|config|images|ls|top|port|version|events, manifest inspect, scout, sbom",
    network: "pull, compose pull, login, logout, image pull",
    runs:
      "build, buildx, run, exec, start, stop, restart, kill, create, cp, commit, tag, save, load, import, export, attach, wait, pause, unpause, rename, update, " +
      "rm, rmi, compose, compose up|down|build|run|exec|start|stop|restart|rm|kill|create|watch|cp|pause|unpause, container, image, volume create, network, " +
      "up, down, builder, init, machine, context",
    data:
      "rm|rmi -f|--force, system prune, container|image|volume|network|builder|buildx prune, volume rm|remove, compose down|rm -v|--volumes, down|rm -v|--volumes, " +
      "container|image rm -f|--force, rm -v, compose down --rmi",
    remote:
      "push, image push, compose push, stack deploy|rm|up|down, service create|update|rm|scale|rollback, secret create|rm, config create|rm, swarm, node, manifest push, plugin",
  },
});

const gh = family({
  valued:
    "R repo b body t title F H B L limit q jq X method f field raw-field json template hostname label assignee state S search w workflow e env",
  verbs: {
    network:
      "auth status, browse, search, status, issue|pr|repo|run|release|gist|workflow|label|secret|variable|cache|project|ruleset|codespace|ssh-key|extension list|ls|view|status|diff|checks|watch, " +
      "pr checkout|create|comment|edit|ready, issue create|comment|edit|develop, run download, release download, repo clone|fork|view|sync, gist clone|view, api, config get|list, " +
      "extension search, attestation verify, completion, version, alias list",
    runs: "extension, alias, config, codespace, auth",
    remote:
      "repo delete|archive|unarchive|rename|edit|create|deploy-key|set-default, release create|delete|edit|upload|delete-asset, pr merge|close|reopen|review|lock|unlock|update-branch|revert, " +
      "issue close|delete|transfer|lock|pin|unpin|reopen|unlock, secret|variable set|delete|remove, run cancel|delete|rerun, workflow run|disable|enable, gist delete|edit|create|rename, " +
      "cache delete, label delete|create|edit|clone, ssh-key|gpg-key add|delete, project delete|create|close|edit, auth logout|login|token|refresh, codespace delete|stop|create, ruleset",
  },
  more: {
    api(call, { values, has }) {
      const method = values("X", "method")[0]?.text;
      const fields = values("f", "F", "field", "raw-field").map(({ text, source }) => text ?? source);
      // Queries of GraphQL are sent as fields.
      const changes = has("input") || fields.some((field) => !field.startsWith("query=") || field.includes("mutation"));
      if (method === undefined ? changes : !/^get$/i.test(method)) call.does("remote");
    },
  },
});

const infrastructure = family({
  valued: "chdir var var-file target out",
  verbs: {
    read: "version, show, output, graph, providers, state list|show|pull, workspace list|show, get, metadata, whoami, about, logs",
    write: "fmt",
    network: "plan, init, validate, console, preview, refresh, diff, synth, ls|list, login, logout, test",
    remote:
      "apply, destroy, import, taint, untaint, state rm|mv|push|replace-provider, force-unlock, workspace delete|new|select, up, down, cancel, deploy, " +
      "stack rm|init, refresh, rollback, bootstrap, watch, config set, delete, remove, update, apply-all, destroy-all, run-all",
  },
});

/** Clients of servers and of clouds. */
export const cloud: Table = {
  "kubectl oc k": kubectl,
  "docker podman docker-compose nerdctl": docker,
  gh,
  glab: gh,
  "terraform tofu terragrunt pulumi cdk cdktf sam serverless sls copilot": infrastructure,
  "aws eb skaffold gcloud gsutil bq az doctl heroku fly flyctl vercel netlify firebase wrangler railway render supabase linode-cli hcloud oci ibmcloud s3cmd mc rclone eksctl doppler infisical op vault consul nomad argocd flux linkerd istioctl stripe sentry-cli shopify convex neonctl turso planetscale pscale":
    verbNames,
  helm: family({
    valued: "n namespace f values set version",
    verbs: {
      read: "version, env, lint, template, show, get, verify, dependency list, create, completion, plugin list",
      network: "list|ls, status, history, search, repo add|update|list, pull|fetch, dependency update|build, diff, test",
      remote: "install, upgrade, uninstall|delete|del|un, rollback, push, registry, repo remove, plugin",
    },
    instead: { read: "install|upgrade|uninstall --dry-run" },
  }),
  "ansible ansible-playbook ansible-pull": (call) =>
    call.does(call.options("i").has("check", "syntax-check", "list-hosts", "list-tasks", "version") ? "network" : "remote"),
  "capistrano cap kamal dokku": (call) => call.does("remote"),
};
