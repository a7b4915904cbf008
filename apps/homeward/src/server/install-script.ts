/** What the script of `GET /install.sh` holds. */
interface InstallScriptOptions {
  /** Address of the cloud as the caller reached it, or the public one. */
  readonly cloudUrl: string
}

/** Nothing in it means something to a shell within single quotes, or ends them. */
const address = /^https?:\/\/[\w.:[\]/-]+$/

/**
 * The script that makes a machine a device of this cloud. A part of it, such as a download that broke off, does nothing: everything
 * is in functions, and the last line is a syntax error until it is whole.
 *
 * @throws {RangeError} if the address has other characters than those of an origin and a path.
 */
export function installScript({ cloudUrl }: InstallScriptOptions): string {
  if (!address.test(cloudUrl))
    throw new RangeError(
      'Writing the install script failed: the address is invalid. Use an http or https URL of an origin and a path.',
    )
  return script.replaceAll('@CLOUD@', cloudUrl)
}

const script = String.raw`#!/bin/sh
# Makes this machine a device of the Homeward cloud at @CLOUD@
# Usage: curl -fsSL @CLOUD@/install.sh | sh -s -- --root "$HOME/Documents"
set -eu

cloud='@CLOUD@'
executable=''
script=''
temporary=''

usage() {
  cat <<'END'
Usage: install.sh [--root FOLDER]... [--token hwe_...] [--name NAME] [--foreground]

  --root FOLDER  folder that may be searched and read; may be repeated
  --token TOKEN  enrollment token instead of a code
  --name NAME    name that users see
  --foreground   run the agent in this terminal instead of as a service

Without --root, the machine is paired, and no folder is open.
END
}

say() {
  printf 'homeward: %s\n' "$*"
}

fail() {
  printf 'homeward: %s\n' "$*" >&2
  exit 1
}

clean_up() {
  if [ -n "$temporary" ]; then rm -rf "$temporary"; fi
}

has_node() {
  command -v node >/dev/null 2>&1 || return 1
  node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 18) ? 0 : 1)'
}

platform() {
  case "$(uname -s)" in
    Linux) kind=linux ;;
    Darwin) kind=macos ;;
    *) return 1 ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) printf '%s-x64' "$kind" ;;
    aarch64 | arm64) printf '%s-arm64' "$kind" ;;
    *) return 1 ;;
  esac
}

download() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --connect-timeout 10 -o "$2" "$1"
  else
    wget -q -T 10 -O "$2" "$1"
  fi
}

# Ends the script if the download is not what the server has.
verify() {
  download "$cloud/downloads/$1.sha256" "$temporary/expected" || fail "the checksum of $1 cannot be downloaded"
  if command -v sha256sum >/dev/null 2>&1; then
    actual=$(sha256sum "$2")
  elif command -v shasum >/dev/null 2>&1; then
    actual=$(shasum -a 256 "$2")
  else
    fail 'install sha256sum or shasum, then run this again'
  fi
  expected=$(cat "$temporary/expected")
  [ "\${actual%% *}" = "\${expected%% *}" ] || fail "the download of $1 is damaged. Run this again"
}

# The executable that the server offers, or else the device agent in one file for Node. Nothing comes from elsewhere.
find_program() {
  temporary=$(mktemp -d)
  trap clean_up EXIT
  if system=$(platform); then
    name="homeward-device-$system"
    executable="$temporary/homeward-device"
    if download "$cloud/downloads/$name" "$executable" 2>/dev/null; then
      verify "$name" "$executable"
      chmod 755 "$executable"
      say "using $name of $cloud"
      return 0
    fi
    executable=''
  fi
  has_node || fail 'install Node 22.18 or newer, then run this again: see https://nodejs.org'
  script="$temporary/homeward-device.cjs"
  download "$cloud/downloads/homeward-device.cjs" "$script" || fail "the device agent cannot be downloaded from $cloud"
  verify homeward-device.cjs "$script"
  say "using Node $(node --version) and the device agent of $cloud"
}

# Runs the program as "root" or as "user". stdin is the script itself, so nothing may read it.
homeward() {
  who=$1
  shift
  if [ -n "$executable" ]; then set -- "$executable" "$@"; else set -- node "$script" "$@"; fi
  if [ "$who" = user ] || [ "$(id -u)" = 0 ]; then
    "$@" </dev/null
  else
    command -v sudo >/dev/null 2>&1 || fail 'installing a service needs root: run this as root, or add --foreground'
    kept=$(env | sed -n 's/^\(DEVICE_[A-Z_]*\)=.*/\1,/p' | tr -d '\n')
    network=NODE_USE_ENV_PROXY,HTTPS_PROXY,HTTP_PROXY,NO_PROXY,NODE_EXTRA_CA_CERTS
    sudo "--preserve-env=\${kept}ENROLLMENT_TOKEN,$network" env "PATH=$PATH" "$@" </dev/null
  fi
}

main() {
  roots=0
  service=''
  if [ -d /run/systemd/system ]; then service=root; fi
  if [ "$(uname -s)" = Darwin ]; then service=user; fi
  left=$#
  while [ "$left" -gt 0 ]; do
    option=$1
    shift
    left=$((left - 1))
    case "$option" in
      --foreground) service='' ;;
      --help | -h) usage && return 0 ;;
      --root | --token | --name)
        if [ "$left" -eq 0 ]; then fail "$option needs a value"; fi
        case "$option" in
          --root) set -- "$@" --root "$1" && roots=1 ;;
          --token) export ENROLLMENT_TOKEN="$1" ;;
          --name) export DEVICE_NAME="$1" ;;
        esac
        shift
        left=$((left - 1))
        ;;
      *) fail "unknown option $option. Options: --root, --token, --name, --foreground." ;;
    esac
  done

  say "making this machine a device of $cloud"
  find_program
  who=user
  if [ "$roots" = 1 ] && [ -n "$service" ]; then who=$service; fi
  say 'step 1 of 2: pairing'
  homeward "$who" device pair --cloud "$cloud"
  if [ "$roots" = 0 ]; then
    say 'step 2 of 2: open folders by running this again with --root FOLDER'
  elif [ -n "$service" ]; then
    say 'step 2 of 2: installing the service'
    homeward "$service" device install "$@"
  else
    say 'step 2 of 2: running the agent in this terminal; Ctrl-C ends it'
    homeward user device run "$@"
  fi
}

{ main "$@"; }
`.replaceAll(String.raw`\$`, '$')
