/** Programs that talk to other machines: downloads, databases, containers and clouds. */
export const servers = `
curl (o output output-dir d data data-raw data-binary data-urlencode json H header X request u user A user-agent e referer b cookie
    c
    cookie-jar F form T upload-file m max-time connect-timeout retry retry-delay x proxy w write-out D dump-header K config r range
    E cert
    cacert key url) = network, writes --output-dir|-c|--cookie-jar|-D|--dump-header, requests -X|--request, downloads -o|--output
  downloadsHere --output-dir: -O|--remote-name|--remote-name-all
wget (O output-document P directory-prefix o output-file a append-output U user-agent t tries T timeout e execute header post-data
    i Q w
    method) = network, writes -P|--directory-prefix|-o|--output-file|-a|--append-output, requests --method,
    downloads -O|--output-document, downloadsHere -P|--directory-prefix
http https xh (a auth o output) = network, requests 1, downloads -o|--output
aria2c fetch lwp-request GET lynx w3m = network, prints download
ping dig nslookup host traceroute mtr whois nc ncat netcat telnet nmap openssl ftp sftp socat ab wrk hey k6 ngrok cloudflared =
    network
psql mysql mariadb sqlite3 duckdb clickhouse-client sqlcmd cockroach (c command e execute h host p port U u user d dbname f file D
    database o)
    = queries -c|--command|-e|--execute
mongo mongosh redis-cli valkey-cli (eval e h p a n u) = queries --eval|-e
ssh-keygen (f t b C N P) = writes -f
  writes ~/.ssh/id_rsa: -t
  only writes -f: -t -f
  only read: -l|-F
gpg = unknown
  data: --delete-key|--delete-secret-key|--delete-keys|--delete-secret-keys
dropdb dropuser = data
mysqladmin (h P u) = network
  data: drop|shutdown|flush*|password
pg_restore = unknown
  data: -c|--clean
pg_dump pg_dumpall mysqldump (h p U u d n t F f file) = network, writes -f|--file
kubectl oc k (n namespace context f filename l selector o output c container kubeconfig cluster user type p patch revision tail
    since replicas)
    = network
  contains 2.., unknown: exec
  remote: delete, apply, create, replace, patch, edit, scale, autoscale, drain, cordon, uncordon, taint, label, annotate, expose,
    run, set,
    certificate, rollout restart|undo|pause|resume, adm, new-app, delete-project
  only network: apply|create|delete|replace|patch|scale|run --dry-run=*
docker podman docker-compose nerdctl (H host c context f file p project-name n t tag filter format platform build-arg)
  (run|exec|compose e env env-file u user w workdir v volume p publish name network entrypoint m memory l label h hostname mount
    platform
    cpus c container f file profile project-name add-host a attach gpus restart index)
  read: ps, images, inspect, logs, version, info, stats, top, port, history, diff, events, context|image|volume|network|container
    ls|list|inspect,
    system df|info|events, compose ps|logs|config|images|ls|top|port|version|events
  network: pull, compose pull, login, logout, search
  mounts, contains 2.., unknown: run|exec, compose|container run|exec
  data: rm|rmi -f|--force, system prune, container|image|volume|network|builder|buildx prune, volume rm|remove,
    compose down|rm -v|--volumes, down|rm -v|--volumes, container|image rm -f|--force, compose down --rmi
  remote: push, image|compose|manifest push, stack deploy|rm|up|down, service create|update|rm|scale|rollback, secret|config
    create|rm, swarm,
    node, plugin
gh glab (R repo b body t title F H B L limit q jq X method f field raw-field json template hostname label assignee state S search w
    workflow
    e env) = network
  asksServer: api
  remote: repo delete|archive|unarchive|rename|edit|create|deploy-key|set-default, release create|delete|edit|upload|delete-asset,
    pr merge|close|reopen|review|lock|unlock|update-branch|revert, issue close|delete|transfer|lock|pin|unpin|reopen|unlock,
    secret|variable set|delete|remove, run cancel|delete|rerun, workflow run|disable|enable, gist delete|edit|create|rename, cache
    delete,
    label delete|create|edit|clone, ssh-key|gpg-key add|delete, project delete|create|close|edit, auth logout|login|token|refresh,
    codespace delete|stop|create
  unknown: extension|alias|config set|install|upgrade|remove|create|exec
terraform tofu terragrunt pulumi cdk cdktf sam serverless sls copilot (chdir var var-file target out) = network
  only writes .: fmt
  remote: apply, destroy, import, taint, untaint, state rm|mv|push|replace-provider, force-unlock, workspace delete|new|select, up,
    down,
    cancel, deploy, stack rm|init, refresh, rollback, bootstrap, watch, config set, delete, remove, update, apply-all, destroy-all,
    run-all
aws eb skaffold gcloud gsutil bq az doctl heroku fly flyctl vercel netlify firebase wrangler railway render supabase linode-cli
    hcloud oci
    ibmcloud s3cmd mc rclone eksctl op vault consul nomad argocd flux linkerd istioctl stripe sentry-cli shopify convex neonctl
    turso planetscale
    pscale (profile region output query project format zone subscription g resource-group n name o c i t) = changesCloud
doppler infisical (p c config project) = network
  runs: run
helm (n namespace f values set version) = network
  remote: install, upgrade, uninstall|delete|del|un, rollback, push, registry, repo remove, plugin
  only network: install|upgrade|uninstall --dry-run
ansible ansible-playbook ansible-pull (i) = remote
  only network: --check|--syntax-check|--list-hosts|--list-tasks|--version
capistrano cap kamal dokku = remote
`;
