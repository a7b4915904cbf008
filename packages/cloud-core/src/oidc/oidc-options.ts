import type { Grant } from '@homeward/contract'
import type { FetchOption } from '@homeward/kit/http'
import {
  aFunction,
  anything,
  limitNumber,
  must,
  numberBetween,
  required,
  timerFrom,
  type OptionRules,
} from '@homeward/kit'
import { checkOptions } from '../context/check-options.ts'

/** Accepted signature algorithms: all use a public key. */
export type TokenAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'

/** Reason why a token was rejected, for logs. Contains neither the token nor its claims. */
export type TokenRejection =
  | 'malformed'
  | 'algorithm'
  | 'unknown-key'
  | 'signature'
  | 'expired'
  | 'not-yet-valid'
  | 'issuer'
  | 'audience'
  | 'authorized-party'
  | 'subject'
  | 'claims'

/** Options of `createOidcSessions`. */
export interface OidcOptions {
  /** Address of the identity provider, exactly as in the `iss` claim: `https://login.example/realms/home`. */
  readonly issuer: string
  /** Accepted audiences: a token must have one of them in its `aud` claim. */
  readonly audience: string | readonly string[]
  /** Clients whose tokens are accepted, by the `azp` or `client_id` claim. @default every client of the audience */
  readonly authorizedParties?: readonly string[]
  /** Address of the provider's keys. @default the address in the provider's discovery document */
  readonly jwksUri?: string
  /** Accepted signature algorithms. @default ["RS256", "PS256", "ES256", "EdDSA"] */
  readonly algorithms?: readonly TokenAlgorithm[]
  /** Tolerated difference to the provider's clock, in seconds: 0 to 300. @default 30 */
  readonly clockToleranceSeconds?: number
  /** Maximum age of a token in seconds, even if the token itself is valid longer. @default no own limit */
  readonly maxTokenAgeSeconds?: number
  /** Milliseconds after which keys are read again, to detect revoked keys. @default 600000 */
  readonly refreshAfterMs?: number
  /** Minimum time between two requests for keys, in milliseconds. @default 30000 */
  readonly coolDownMs?: number
  /** Time for which keys stay valid while the provider does not respond, in milliseconds. @default 86400000 */
  readonly cacheKeysMs?: number
  /** Time limit of a request to the provider, in milliseconds. @default 5000 */
  readonly timeoutMs?: number
  /** Returns the user id for verified claims. @default `<iss>#<sub>` */
  readonly toUserId?: (claims: Readonly<Record<string, unknown>>) => string
  /**
   * Returns the name of the person who acts, for the audit log. Use it if `toUserId` returns the same user for
   * several people.
   *
   * @default no separate actor
   */
  readonly toActor?: (claims: Readonly<Record<string, unknown>>) => string | undefined
  /** Returns the permissions of the session: `read`, `search`, `fetch`, `manage`, `audit`. @default all permissions */
  readonly toGrants?: (claims: Readonly<Record<string, unknown>>) => readonly Grant[] | undefined
  /** Receives the reason why a token was rejected. @default ignored */
  readonly onRejected?: (reason: TokenRejection) => void
  /** Receives errors of reading the keys. @default ignored */
  readonly onError?: (error: unknown) => void
  /**
   * A `fetch` function, or an ofetch instance whose interceptors then run for each request.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** Returns the milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

const knownAlgorithms = /^(RS|PS|ES)(256|384|512)$|^EdDSA$/
const trusted = must(
  'be an https:// address, or an http:// address of this machine',
  (value) => typeof value === 'string' && isTrustedAddress(value),
)
const isFilledList = (value: unknown, isFit: (text: string) => boolean) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && isFit(each))

const rules: OptionRules<OidcOptions> = {
  issuer: required(trusted),
  audience: required(
    must('be a string that is not empty, or a list of them', (value) =>
      isFilledList([value].flat(), (name) => name !== ''),
    ),
  ),
  authorizedParties: anything,
  jwksUri: trusted,
  algorithms: must('be signature algorithms with a public key, such as RS256', (value) =>
    isFilledList(value, (name) => knownAlgorithms.test(name)),
  ),
  clockToleranceSeconds: numberBetween(0, 300),
  maxTokenAgeSeconds: limitNumber,
  refreshAfterMs: limitNumber,
  coolDownMs: limitNumber,
  cacheKeysMs: limitNumber,
  timeoutMs: timerFrom(1),
  toUserId: aFunction,
  toActor: aFunction,
  toGrants: aFunction,
  onRejected: aFunction,
  onError: aFunction,
  fetch: aFunction,
  now: aFunction,
}

/** @throws {TypeError} that names the setting and what it must be. */
export function checkOidcOptions(options: OidcOptions): void {
  checkOptions('Creating the OIDC sessions', options, rules)
}

/** Whether nobody on the way can answer in its place. */
export function isTrustedAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
}
