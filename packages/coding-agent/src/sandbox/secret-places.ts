import { homedir } from "node:os";
import { join } from "node:path";

/** Folders and files in the home folder that hold keys, tokens, passwords, messages or what was typed. */
const secretsOfHome: readonly string[] = [
  // Keys for machines, signatures and passwords.
  ...[".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".config/op", ".vault-token", ".pki"],
  ...["Library/Keychains", "Library/Application Support/1Password"],
  // Clouds and clusters.
  ...[".aws", ".azure", ".config/gcloud", ".boto", ".s3cfg", ".oci", ".kube", ".terraform.d", ".terraformrc", ".databrickscfg"],
  ...[".config/doctl", ".config/rclone", ".config/hcloud", ".fly", ".config/flyctl", ".config/helm", ".pulumi/credentials.json"],
  // Containers.
  ...[".docker", ".config/containers/auth.json", ".local/share/containers"],
  // Code hosts and package registries.
  ...[
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".npmrc",
    ".yarnrc",
  ],
  ...[
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
  ],
  ...[".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config", ".composer/auth.json", ".config/composer/auth.json"],
  // Databases.
  ...[".pgpass", ".my.cnf", ".mylogin.cnf", ".mongorc.js"],
  // Other agents.
  ...[".claude", ".claude.json", ".codex", ".gemini", ".config/github-copilot", ".config/opencode", ".local/share/opencode"],
  // Browsers and mail.
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge"],
  ...["Library/Application Support/Google/Chrome", "Library/Application Support/Firefox", "Library/Cookies", "Library/Mail"],
  // What was typed.
  ...[".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".python_history", ".node_repl_history"],
  ...[".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".lesshst", ".viminfo"],
];

/** The same of the system. Most of them only root can read. */
const secretsOfSystem: readonly string[] = [
  ...[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
  ],
  ...["/etc/kubernetes", "/etc/krb5.keytab", "/etc/NetworkManager/system-connections", "/etc/wireguard"],
  ...["/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/systemd/credential.secret"],
];

/** Folders of the agent that commands of skills and packages read. All else in its folder is hidden: keys, settings and conversations. */
const openFoldersOfAgent: readonly string[] = ["skills", "prompts", "extensions", "themes", "rules", "npm", "git", "node_modules"];

/** The paths that nobody in a sandbox reads, and the paths below them that stay readable. */
export function secretPlaces(agentDir: string, home: string = homedir()): { hidden: string[]; readable: string[] } {
  return {
    hidden: [...secretsOfSystem, ...secretsOfHome.map((path) => join(home, path)), join(home, ".pi/agent"), agentDir],
    readable: [join(home, ".pi/agent"), agentDir].flatMap((folder) => openFoldersOfAgent.map((name) => join(folder, name))),
  };
}
