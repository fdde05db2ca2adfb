/**
 * The script of the watchdog, in POSIX sh. Only the agent holds the other end of its stdin pipe, so the input ends when the agent ends, for
 * any reason. The first line is the prefix of the marks. Further lines: `+N` a group has started, `~N` its leader has exited but other members
 * live, `-N` the group is dead, `/…` a folder to remove.
 *
 * Arguments: `proc`, or the flags that make ps list all processes with their environments.
 */
export const watchdogScript = `
trap '' HUP INT QUIT TERM PIPE
IFS= read -r mark || exit 0
groups=' ' folder=
forget() {
  case $groups in *" $1 "*) groups="\${groups%% $1 *} \${groups#* $1 }" ;; esac
}
while IFS= read -r line; do
  group=\${line#?}
  case $line in
    /*) folder=$line ;;
    +*) forget "$group"; groups="$groups$group " ;;
    -*) forget "$group"; forget "~$group" ;;
    '~'*) forget "$group"; groups="$groups$line " ;;
  esac
done

for group in $groups; do
  case $group in
    # The id of a living group is not reused as a pid, so a process with that pid proves that the group is dead.
    '~'*) group=\${group#?}; kill -0 "$group" 2>/dev/null && continue ;;
  esac
  kill -s KILL -- "-$group" 2>/dev/null
done
case $folder in
  /*/pikit-pipes-*) rm -f -- "$folder"/*; rmdir -- "$folder" ;;
esac 2>/dev/null

marked() {
  if [ "$1" = proc ]; then
    grep -l -s -e "^Max file locks  *$mark" -e "PIKIT_COMMANDS=$mark" -e "PIKIT_COMMANDS=[0-9:]*:$mark" \\
      /proc/[0-9]*/limits /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
        state=
        read -r state < "/proc/$pid/stat"
        case \${state##*)} in ' Z'*|' X'*) ;; *) echo "$pid" ;; esac
      done
  else
    ps "$@" -o pid= -o stat= -o command= | while read -r pid state command; do
      case $state in Z*) continue ;; esac
      case $command in *"PIKIT_COMMANDS=$mark"*|*PIKIT_COMMANDS=*":$mark"*) echo "$pid" ;; esac
    done
  fi 2>/dev/null
}
# A dying process may fork once more; two searches in a row without a result prove that no process is left.
silent=0 round=0
while [ $silent -lt 2 ] && [ $round -lt 100 ]; do
  round=$((round + 1)) silent=$((silent + 1))
  for pid in $(marked "$@"); do
    kill -s KILL "$pid" 2>/dev/null
    silent=0
  done
  [ $silent -gt 0 ] || [ $round -lt 5 ] || sleep 0.05
done
`;
