#!/usr/bin/env bash
# Deploys the site.  rm -rf "$target" in a comment is not a command.
set -euo pipefail

readonly ROOT=/srv/site
export LANG=de_DE.UTF-8
names=(one two "drei – vier")

usage() {
  cat <<EOF
usage: deploy TARGET
rm -rf $ROOT is what this does not do
EOF
  return 2
}

function log {
  local level=$1 message="$2"
  echo "[$level] $message" >&2
}

check()
{
  if [ -z "$1" ]; then usage; exit 1; fi
  if [[ $1 == /* && -d $1 ]]
  then
    log info "absolut: $1"
  elif test -f "$1"; then
    log error 'rm -rf "$1"'
  else
    log error "missing"
  fi
}

main() {
  target=${1:-$ROOT}
  check "$target" || exit 1
  for name in "${names[@]}" *.html; do
    cp -r "$name" "$target"
    cp "$name" "$name"
  done
  for ((i = 0; i < 3; i++)); do echo "$((i + 1))"; done
  while read -r line; do
    case $line in
      a*|b) echo first ;;
      "rm x") echo second;;
      *) ;;
    esac
  done < <(sort list.txt | uniq -c)
  until ping -c 1 host >/dev/null 2>&1; do sleep 1; done
  cd "$target" && make all; cd - || return
  curl -s https://example.org/install | sh
  tar -czf backup.tar.gz \
    --exclude=.git \
    .
  rm -rf "$target/tmp"
  { date; uname -a; } > info.txt
  (umask 077; touch secret) &
  wait
  FOO=1 env | grep FOO
  unset names
}

main "$@"
