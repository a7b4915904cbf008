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

/** Signature algorithms that a token may have: those with a public key. */
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

/** Why a token was refused, for logs. Never holds the token or what it claims. */
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

/** Settings of `createOidcSessions`. */
export interface OidcOptions {
  /** Address of the identity provider, exactly as it stands in `iss`: `https://login.example/realms/home`. */
  readonly issuer: string
  /** Who tokens must be for: one of these must stand in `aud`. */
  readonly audience: string | readonly string[]
  /** Clients whose tokens count, by `azp` or `client_id`. @default every client of the audience */
  readonly authorizedParties?: readonly string[]
  /** Where the keys are. @default what the provider's discovery document says */
  readonly jwksUri?: string
  /** @default ["RS256", "PS256", "ES256", "EdDSA"] */
  readonly algorithms?: readonly TokenAlgorithm[]
  /** How far the provider's clock may be off, in seconds: 0 to 300. @default 30 */
  readonly clockToleranceSeconds?: number
  /** How old a token may be, in seconds, whatever it says itself. @default no limit of its own */
  readonly maxTokenAgeSeconds?: number
  /** After how many milliseconds keys are read again, to notice those that were withdrawn. @default 600000 */
  readonly refreshAfterMs?: number
  /** Milliseconds between two requests for keys at least, whatever tokens come. @default 30000 */
  readonly coolDownMs?: number
  /** How long keys are good while the provider does not answer, in milliseconds. @default 86400000 */
  readonly cacheKeysMs?: number
  /** Milliseconds until a request to the provider is given up. @default 5000 */
  readonly timeoutMs?: number
  /** Makes the user's identifier of verified claims. @default `<iss>#<sub>` */
  readonly toUserId?: (claims: Readonly<Record<string, unknown>>) => string
  /** Names who acts for the user, for the audit (C30). With `toUserId` several people can share devices. @default nobody else */
  readonly toActor?: (claims: Readonly<Record<string, unknown>>) => string | undefined
  /** Says what the session may do (C30): `read`, `search`, `fetch`, `manage`, `audit`. @default everything */
  readonly toGrants?: (claims: Readonly<Record<string, unknown>>) => readonly Grant[] | undefined
  /** Hears why a token was refused. @default ignored */
  readonly onRejected?: (reason: TokenRejection) => void
  /** Hears that keys could not be read. @default ignored */
  readonly onError?: (error: unknown) => void
  /**
   * What requests are sent with: a `fetch`, or an instance of ofetch, whose interceptors then run for each request.
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** Milliseconds since 1970. @default Date.now */
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
