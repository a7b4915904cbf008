import { safeHook } from '@homeward/contract/handler'
import type { Fetch } from '@homeward/kit/http'
import type { FlattenedJWSInput, JSONWebKeySet, JWK, JWSHeaderParameters } from 'jose'
import type * as Jose from 'jose'
import * as z from 'zod/mini'
import { guardFetch } from '../remote/guarded-fetch.ts'
import { RemoteFailure } from '../remote/remote-failure.ts'
import { isTrustedAddress, type OidcOptions } from './oidc-options.ts'

const maxDocumentBytes = 512 * 1024
const maxKeys = 100

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })
const KeySet = z.object({ keys: z.array(z.catchall(z.object({ kty: z.string() }), z.unknown())) })

/** The provider's keys cannot be had, so nothing can be said about a token. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** The provider has no key for a token. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey'
}

type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

/** The keys that an identity provider signs with. */
export interface SigningKeys {
  /** Finds the key of a token. @throws {UnknownKey} @throws {KeysUnavailable} */
  readonly find: FindKey
}

/**
 * Reads the keys when the first token comes, again after a while, and at once when a token names a key that is not known,
 * but never more often than the cool-down allows, also while the provider is down. Known keys stay good while it does not
 * answer, for a day; a key that it withdrew is good no more once the keys were read again.
 */
export function createSigningKeys(options: OidcOptions, jose: typeof Jose): SigningKeys {
  const { now = Date.now } = options
  const onError = safeHook(options.onError)
  const { refreshAfterMs = 600_000, coolDownMs = 30_000, cacheKeysMs = 86_400_000 } = options
  const readKeySet = createReader(options)
  let known: { readonly find: FindKey; readonly atMs: number } | undefined
  let triedAtMs = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let reading: Promise<void> | undefined

  /** A clock that was put back makes no key young, and no pause long. */
  const since = (ms: number) => Math.abs(now() - ms)

  async function read(): Promise<void> {
    triedAtMs = now()
    try {
      known = { find: jose.createLocalJWKSet(await readKeySet()), atMs: now() }
      hasFailed = false
    } catch (error) {
      hasFailed = true
      onError(error)
    }
  }

  /** Reads the keys; once for all who wait, and not within the cool-down. */
  function refresh(): Promise<void> {
    if (reading === undefined && since(triedAtMs) < coolDownMs) return Promise.resolve()
    reading ??= read().finally(() => (reading = undefined))
    return reading
  }

  async function current(): Promise<NonNullable<typeof known>> {
    if (known === undefined || since(known.atMs) > cacheKeysMs) await refresh()
    else if (since(known.atMs) > refreshAfterMs) void refresh() // the known ones do meanwhile
    if (known === undefined || since(known.atMs) > cacheKeysMs)
      throw new KeysUnavailable('the identity provider does not respond')
    return known
  }

  return {
    async find(header, token) {
      const before = await current()
      try {
        return await before.find(header, token)
      } catch (error) {
        if (!isNoMatch(error)) throw error
        await refresh()
      }
      if (hasFailed) throw new KeysUnavailable('the identity provider does not respond')
      const after = await current()
      return after.find(header, token).catch((error: unknown) => {
        throw isNoMatch(error) ? new UnknownKey('the provider does not have this key') : error
      })
    },
  }
}

function isNoMatch(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_NO_MATCHING_KEY'
}

function createReader(options: OidcOptions): () => Promise<JSONWebKeySet> {
  const { issuer, timeoutMs = 5000 } = options
  let address = options.jwksUri

  return async () => {
    const guard = { fetch: options.fetch, timeoutMs, maxReplyBytes: maxDocumentBytes }
    const fetch = guardFetch({ ...guard, signal: new AbortController().signal })
    address ??= await discover(fetch, issuer)
    const parsed = z.safeParse(KeySet, await readJson(fetch, address))
    if (!parsed.success) throw new RemoteFailure('the provider sent invalid keys')
    return { keys: parsed.data.keys.filter(isPublicKey).slice(0, maxKeys) }
  }
}

/** A shared secret among the keys would be one that everybody can read. */
function isPublicKey(key: Readonly<Record<string, unknown>>): key is JWK & Readonly<Record<string, unknown>> {
  return ['RSA', 'EC', 'OKP'].includes(String(key['kty'])) && key['d'] === undefined && key['use'] !== 'enc'
}

async function discover(fetch: Fetch, issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  const parsed = z.safeParse(Discovery, await readJson(fetch, address))
  if (!parsed.success) throw new RemoteFailure('the provider sent an invalid discovery document')
  if (parsed.data.issuer !== issuer)
    throw new RemoteFailure(
      'the provider uses another issuer name. Set "issuer" exactly as the provider does',
    )
  if (!isTrustedAddress(parsed.data.jwks_uri))
    throw new RemoteFailure('the address of the keys of the provider is not https://')
  return parsed.data.jwks_uri
}

async function readJson(fetch: Fetch, address: string): Promise<unknown> {
  const response = await fetch(address, { method: 'GET', headers: { accept: 'application/json' } })
  if (!response.ok) {
    await response.body?.cancel()
    throw new RemoteFailure(`the provider responded with ${response.status}`, { status: response.status })
  }
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new RemoteFailure('the response of the provider is not JSON')
  }
}
