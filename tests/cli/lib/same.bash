# Comparing two result folders, a run's or a chain's: all files but the clock's. The summary's figures
# are compared, its seconds and the run's number are not; a checkpoint holds both.
figures() { sed -n '/"result"/,$p' "$1" | grep -v '"seconds_\|"up_to_date"'; }
same() { # folder of the whole run, of the other; prints what differs
  local name
  while read -r name; do
    case ${name##*/} in
    checkpoint.h5 | .ingot) continue ;;
    summary.json) [ "$(figures "$1/$name")" = "$(figures "$2/$name")" ] || { echo "$name"; return 1; } ;;
    case.yaml) # a stage of a chain names the results of another, in its own folder
      cmp -s <(sed "s|${1##*/}/|OUT/|g" "$1/$name") <(sed "s|${2##*/}/|OUT/|g" "$2/$name") || { echo "$name"; return 1; } ;;
    *) cmp -s "$1/$name" "$2/$name" || { echo "$name"; return 1; } ;;
    esac
  done < <(cd "$1" && find . -type f)
  [ "$(cd "$1" && find . | sort)" = "$(cd "$2" && find . | sort)" ] || { echo "other files"; return 1; }
}
# every room with its own assembly, those that have a choice with the others too, and a chain:
# a case in tests/cli/small, and options of the run. ROOMS="stress chain" names some.
trials_of_rooms=${ROOMS:-"thermal dynamics static fracture topopt stress powder structure
thermal,color thermal,atomic dynamics,color dynamics,atomic fracture,color fracture,atomic stress,gather stress,atomic
chain"}
room_options() { # "fracture,color" gives "-s assembly=color"
  case $1 in *,*) echo "-s assembly=${1#*,}" ;; esac
}
