#!/usr/bin/env bash
# Packs the package and uses it as strangers would: a plain script, a Nest 12 ESM project and a Nest 11 CommonJS project,
# with the examples of the README as they are printed there.
#   consumers.sh [--lowest] [name ...]     --lowest: the Nest 11 project with the oldest peers that package.json allows
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
lowest=
[ "${1:-}" = --lowest ] && lowest=1 && shift
names=("$@")
if [ -n "$lowest" ]; then names=(nest11-cjs); fi
if [ ${#names[@]} -eq 0 ]; then
  for folder in test/consumers/*/; do
    name=$(basename "$folder")
    [ "$name" = shared ] || names+=("$name")
  done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Built apart, so that what the compiler says is seen.
npm run --silent build
tarball="$work/$(npm pack --silent --ignore-scripts --pack-destination "$work" | tail -1)"
npx publint run "$tarball" --strict
npx attw "$tarball" --format table-flipped

passed=0
for name in "${names[@]}"; do
  echo "== $name${lowest:+ with the oldest peers}"
  cp -r "test/consumers/$name" "$work/$name"
  cp -r docs/api "$work/$name/api"
  if [ "$name" != plain-node ]; then
    cp -r test/consumers/shared/. "$work/$name/"
    node scripts/readme-example.mjs 1 > "$work/$name/src/crm.ts"
    node scripts/readme-example.mjs 2 > "$work/$name/src/invoices.ts"
  fi
  cd "$work/$name"
  [ -n "$lowest" ] && node "$root/scripts/oldest-peers.mjs" "$root/package.json" package.json
  npm install --no-audit --no-fund --no-save "$tarball" > install.log 2>&1 || { tail -30 install.log; exit 1; }
  timeout -s KILL 300 npm test --silent
  passed=$((passed + 1))
  cd "$root"
done
echo "packed artefact: $passed consumers passed"
