/** Programs that run the command in their arguments, in a text or in a file, and interpreters. */
export const runners = `
nohup builtin coproc unbuffer valgrind busybox toybox shx cross-env cross-env-shell dotenvx retry chronic proxychains proxychains4
    setsid entr
    dbus-run-session firejail = runs
dotenv (e f) = runs
exec (a) = runs
arch (arch) = runs, prints 0
command = runs
  only prints 0: -v|-V
time (f format o output) = runs, writes -o|--output
nice (n adjustment) = runs
ionice (c class n classdata p pid) = runs
timeout gtimeout (k kill-after s signal) = runs 2..
stdbuf (i input o output e error) = runs
chrt taskset (T P D) = runs 2..
caffeinate (t w) = runs
strace ltrace (e p s u P E a o) = runs, writes -o
xvfb-run (n s server-num server-args e f) = runs
fakeroot (l s i) = runs
flock (w timeout E c command) = runs 2..
script (c command) = scripts -c|--command, writes 1
watch (n interval) = joins
hyperfine (w r p prepare c cleanup s setup) = scripts, scripts -p|--prepare|-s|--setup|-c|--cleanup
concurrently (n names c p) = scripts
nodemon (x exec w watch e ext) = scripts -x|--exec, unknown
watchexec (w watch e exts i ignore d debounce s signal) = joins, unknown
dtach abduco (c n A e r) = runs
screen (S c e h p s t T L) = runs
  scripts 2..: -X
tmux (L S f)
  (new|new-session|split-window|splitw|new-window|neww|respawn-pane|popup|display-popup c e F n s t x y l)
  (send|send-keys|run|run-shell|if|if-shell|pipe-pane t b d N)
  read: ls, list-*, capture-pane|capturep, has-session|has, display-message|display, show-*
  joins: new|new-session|split-window|splitw|new-window|neww|respawn-pane|popup|display-popup
  scripts: send|send-keys|run|run-shell|if|if-shell|pipe-pane
npx bunx pnpx (p package c call) = network, runs, scripts -c|--call
uvx (p python from with) = network, runs
sudo (u user g group h host p prompt C close-from D chdir R chroot r role t type T command-timeout U other-user) = otherUser, runs
doas gosu su-exec setpriv (u C) = otherUser, runs
pkexec (user) = otherUser, runs
run0 (u user g group D chdir) = otherUser, runs
runuser (u user g group s shell c command) = otherUser, runs, scripts -c|--command
su (g group s shell w c command) = otherUser, scripts -c|--command
chroot (userspec groups) = system, runs 2..
nsenter unshare (t target S G R w) = system, runs
systemd-run (p property u unit M machine slice description on-calendar on-active) = system, runs
mise rtx direnv asdf
  runs: exec|x|run
  read: which|current|list|ls|version|status
env (u unset C chdir S split-string) = changesEnvironment
ssh (b c D E e F I i J L l m O o p Q R S W w B) = network, proxies -o, connects
sh bash zsh dash ksh mksh ash rbash fish (o O rcfile init-file) = runsShell
eval = evaluates
source . = sources
find = finds
fd fdfind = findsNames
xargs (I n P L s d E a max-args max-procs max-lines delimiter arg-file replace process-slot-var) = repeats
parallel (j jobs n N I colsep joblog results) = repeatsInParallel
python pypy ipython = interprets python
node nodejs tsx ts-node = interprets javascript
deno
  interprets deno: eval
  download: run http*
  read: doc|info|check|lint|types
perl = interprets perl
ruby irb = interprets ruby
php = interprets php
lua luajit Rscript osascript tclsh julia elixir groovy R scala kotlin ghc expect emacs = interprets others
awk gawk mawk nawk (F v f i field-separator assign file include) = awkScript
`;
