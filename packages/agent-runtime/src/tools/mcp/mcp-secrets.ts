import { isSecretName } from '../../secrets/secret-names.ts'
import type { McpServerConfig } from './mcp-server-config.ts'

const hidden = '[secret]'
/** Some servers are given their key as a part of the path, which has no name to know it by. */
const keyLike = /^(?=.*\d)(?=.*[a-z])[\w.~%=+-]{20,}$/i

/** What the operator gave a server to prove itself with; behind a word such as `Bearer` too, and in its address. */
export function secretsOf(config: McpServerConfig): string[] {
  if ('url' in config) {
    const values = Object.values(config.headers ?? {})
    const plain = values.flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)])
    const { client_secret: secret } = config.oauth ?? {}
    return [...plain, ...(secret ? [secret] : []), ...secretsOfAddress(config.url)]
  }
  return [...valuesOfSecrets(Object.entries(config.env ?? {})), ...secretsOfArguments(config.args ?? [])]
}

/** An address as people may see it. */
export function hideInAddress(address: string): string {
  let shown = address
  for (const secret of secretsOfAddress(address)) if (secret) shown = shown.replaceAll(secret, hidden)
  return shown
}

/** Arguments as people may see them. */
export function hideInArguments(args: readonly string[]): string[] {
  const secrets = secretsOfArguments(args)
  return args.map((given) => secrets.reduce((shown, secret) => shown.replaceAll(secret, hidden), given))
}

/** As they are meant, and as they are written: there is more than one way to. */
function secretsOfAddress(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { username, password, pathname, search, searchParams } = new URL(address)
  const written = search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('='))
    .map(([name = '', ...value]) => [name, value.join('=')] as const)
  const keys = pathname.split('/').filter((part) => keyLike.test(part))
  return [username, password, ...keys, ...valuesOfSecrets(searchParams), ...valuesOfSecrets(written)]
}

/** `--api-key KEY`, `--api-key=KEY` and `API_KEY=KEY`; also addresses with a key, and what looks like one. */
function secretsOfArguments(args: readonly string[]): string[] {
  const found = args.flatMap((given, at) => {
    const before = args[at - 1]?.replace(/^-+/, '') ?? ''
    const [name = '', ...value] = given.split('=')
    if (args[at - 1]?.startsWith('-') && !given.startsWith('-') && isSecretName(before)) return [given]
    if (value.length > 0 && isSecretName(name.replace(/^-+/, ''))) return [value.join('=')]
    return given.includes('://') ? secretsOfAddress(given) : []
  })
  return found.filter((secret) => secret !== '')
}

const valuesOfSecrets = (entries: Iterable<readonly [string, string]>): string[] =>
  Array.from(entries, ([name, value]) => (isSecretName(name) ? [value] : [])).flat()
