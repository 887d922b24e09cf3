#!/usr/bin/env bash
# The unit and wide specs and two consumers of the packed artefact under other Node versions, fetched by npm's `node` package.
# Ends with one line per version.
#   node-versions.sh [--specs pattern | --consumers] [version ...]     default: all of it under 22 and 24
set -uo pipefail
cd "$(dirname "$0")/.."
pattern=.
what=all
case "${1:-}" in
  --specs) what=specs pattern=${2:?which specs}; shift 2 ;;
  --consumers) what=consumers; shift ;;
esac
[ $# -gt 0 ] || set -- 22 24

# Its folder alone comes from npx: what npm starts inherits the settings of npx, and would take them for its own.
folder_of() {
  npx -y -p "node@$1" -c 'command -v node' | xargs dirname
}

lines=()
failed=0
for version in "$@"; do
  failures=
  if folder=$(folder_of "$version") && [ -x "$folder/node" ]; then
    name=$("$folder/node" --version)
    echo "== Node $name"
    if [ $what != consumers ]; then
      PATH=$folder:$PATH node scripts/test.mjs --selectProjects unit wide -- "$pattern" || failures="$failures specs"
    fi
    if [ $what != specs ]; then
      PATH=$folder:$PATH bash scripts/consumers.sh plain-node nest12-esm || failures="$failures consumers"
    fi
  else
    name=$version failures=' no-such-node'
  fi
  if [ -z "$failures" ]; then verdict=passed; else verdict="failed:$failures" failed=1; fi
  lines+=("Node $name: $verdict")
done
printf '%s\n' "${lines[@]}"
exit $failed
