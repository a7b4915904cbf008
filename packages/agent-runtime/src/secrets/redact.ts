import type { Json } from '@homeward/contract/agent-platform'
import { mapObject, mapStrings, someString } from '../json/to-json.ts'

/** Takes secrets out of what leaves a run. */
export interface Redactor {
  /** @param isCut Whether the text goes on elsewhere: then it may end in the midst of a secret. @default false */
  text(text: string, isCut?: boolean): string
  /** The same value when there is nothing to take out. */
  json<T extends Json>(value: T): T
  /** As `json`, for what stays stored: what looks like the key of a well-known service is taken out as well (A14). */
  kept<T extends Json>(value: T): T
}

const hidden = '[secret]'
/** Names under which people pass secrets to tools; what they hold is kept out of the journal. */
const secretName = /(?:password|passphrase|secret|token|api[_-]?key|authorization|credential)s?$/i

/** What keys of well-known services look like. Each begins in a way that ordinary text does not. */
const shapes = [
  /\bsk-[\w-]{16,}/, // OpenAI, Anthropic, OpenRouter
  /\bAIza[\w-]{30,}/, // Google
  /\bya29\.[\w-]{20,}/, // Google access tokens
  /\bxox[a-z]-[\w-]{10,}/, // Slack
  /\bgh[pousr]_\w{30,}/, // GitHub
  /\bgithub_pat_\w{22,}/,
  /\bhw_[\w-]{43}/, // this project's devices
  /\b\d{8,10}:[\w-]{35}/, // Telegram
  /\bAKIA[0-9A-Z]{16}/, // AWS
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/, // JSON Web Tokens
  /(?<=\bBearer\s)[\w.~+/-]{16,}=*/,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w+/=\s]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/,
]
const keySource = shapes.map((shape) => shape.source).join('|')
const everyKey = new RegExp(keySource, 'g')
/** Characters of the shortest of them. */
const shortestKey = 16

/** Takes out what looks like a key. The same text when there is nothing. */
export function withoutKeys(text: string): string {
  return text.length < shortestKey ? text : text.replace(everyKey, hidden)
}

/** Builds a redactor for these secrets. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const wanted = [...new Set(secrets.flatMap((secret) => [...secretForms(secret)]))]
  // The longest first: one secret may hold another.
  wanted.sort((a, b) => b.length - a.length)
  const shortest = Math.min(...wanted.map(({ length }) => length))
  // One look for all of them: nearly every text holds none, and most are too short to.
  const patterns = wanted.map(toPattern)
  const anySecret = new RegExp(patterns.join('|'))
  const anyOf = new RegExp([...patterns, keySource].join('|'))
  const whole = (given: string) => {
    if (given.length < shortest || !anySecret.test(given)) return given
    let clean = given
    for (const secret of wanted) clean = clean.replaceAll(secret, hidden)
    return clean
  }
  const text = (given: string, isCut = false) =>
    isCut && wanted.length > 0 ? withoutBegun(whole(given), wanted) : whole(given)
  // The walk keeps the shape: strings stay strings, arrays arrays.
  return {
    text,
    json: (value) =>
      someString(value, shortest, anySecret) ? (mapStrings(value, whole) as typeof value) : value,
    kept: (value) => {
      if (!someString(value, Math.min(shortest, shortestKey), anyOf)) return value
      return mapStrings(value, (given) => withoutKeys(whole(given))) as typeof value
    },
  }
}

/** A text without the beginning of a secret at its end. One as short as an ordinary word stays. */
function withoutBegun(text: string, secrets: readonly string[]): string {
  const longest = Math.max(
    ...secrets.map((secret) => {
      let length = Math.min(secret.length - 1, text.length)
      while (length >= shortestSecret && !text.endsWith(secret.slice(0, length))) length -= 1
      return length
    }),
  )
  return longest >= shortestSecret ? text.slice(0, -longest) + hidden : text
}

/** A pattern of this very text: `RegExp.escape` is younger than the oldest Node that we run on. */
const toPattern = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Builds redactors; for the same array of secrets the same one. */
export function createRedactors(): typeof createRedactor {
  let known: { readonly secrets: readonly string[]; readonly redactor: Redactor } | undefined
  return (secrets) => {
    if (known?.secrets !== secrets) known = { secrets, redactor: createRedactor(secrets) }
    return known.redactor
  }
}

/** Arguments as the journal may hold them: values under names like `password` are left out. */
export function withoutNamedSecrets(value: Json): Json {
  if (!hasNamedSecret(value)) return value
  if (Array.isArray(value)) return value.map(withoutNamedSecrets)
  return mapObject(value, (entry, key) => (isNamedSecret(key, entry) ? hidden : withoutNamedSecrets(entry)))
}

function hasNamedSecret(value: Json): value is Json[] | { [key: string]: Json } {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasNamedSecret)
  for (const key of Object.keys(value)) {
    const entry = value[key] ?? null
    if (isNamedSecret(key, entry) || hasNamedSecret(entry)) return true
  }
  return false
}

const isNamedSecret = (key: string, entry: Json) =>
  entry !== null && typeof entry !== 'boolean' && secretName.test(key)

/** Characters of the shortest secret that is taken out. */
const shortestSecret = 6

/** How a secret may stand in a text; none for one so short that ordinary words would be taken out. */
function secretForms(secret: string): ReadonlySet<string> {
  if (secret.length < shortestSecret) return new Set()
  const given = secret.toWellFormed()
  const inForm = new URLSearchParams({ x: given }).toString().slice('x='.length)
  return new Set([
    secret,
    encodeURIComponent(given),
    inForm,
    JSON.stringify(secret).slice(1, -1),
    toBase64(secret),
  ])
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '')
}
