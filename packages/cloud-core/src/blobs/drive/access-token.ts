import { parseRetryAfter } from '@homeward/kit'
import type { Fetch } from '@homeward/kit/http'
import type * as Jose from 'jose'
import * as z from 'zod/mini'
import { CloudStoreError } from '../../ports/cloud-store-error.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import type { ServiceAccount } from './drive-options.ts'

/** Files of others that were shared with the account are out of reach of the narrower `drive.file`: so is its folder. */
const scope = 'https://www.googleapis.com/auth/drive'
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const lifetimeSeconds = 3600
/** A token is not used in its last minute: a request takes a while to arrive. */
const marginMs = 60_000

const TokenReply = z.object({ access_token: z.string().check(z.minLength(1)), expires_in: z.number() })

/** Access tokens of a service account, kept as long as they are good. */
interface AccessTokens {
  /** @throws {RemoteFailure} */
  read(send: Fetch): Promise<string>
  /** Forgets a token that was refused. */
  refuse(token: string): void
}

/** Gets tokens by a JWT that the account signs (RFC 7523); one request however many wait. */
export function createAccessTokens(
  account: ServiceAccount,
  tokenUrl: string,
  now: () => number,
): AccessTokens {
  const sign = createSigner(account, tokenUrl)
  let known: { readonly token: string; readonly untilMs: number } | undefined
  let pending: Promise<string> | undefined

  async function request(send: Fetch): Promise<string> {
    const assertion = await sign(Math.floor(now() / 1000))
    const response = await send(tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: grantType, assertion }).toString(),
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (!response.ok) {
      throw new RemoteFailure(`the account was rejected with ${response.status}. Check its key`, {
        status: response.status,
        retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), now()),
      })
    }
    const parsed = z.safeParse(TokenReply, body)
    if (!parsed.success) throw new RemoteFailure('the response to a request for a token is unexpected')
    const { access_token: token, expires_in: seconds } = parsed.data
    known = { token, untilMs: now() + seconds * 1000 - marginMs }
    return token
  }

  return {
    read(send) {
      if (known !== undefined && now() < known.untilMs) return Promise.resolve(known.token)
      pending ??= request(send).finally(() => (pending = undefined))
      return pending
    },
    refuse(token) {
      if (known?.token === token) known = undefined
    },
  }
}

/** Signs what a token is given for; the key is read once. */
function createSigner(
  account: ServiceAccount,
  audience: string,
): (issuedAtSeconds: number) => Promise<string> {
  let reading: Promise<CryptoKey> | undefined
  return async (issuedAt) => {
    const { SignJWT } = await loadLibrary()
    reading ??= readKey(account.privateKey)
    const key = await reading.catch((error: unknown) => {
      reading = undefined
      throw error
    })
    const { privateKeyId: kid } = account
    return new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid === undefined ? undefined : { kid }) })
      .setIssuer(account.clientEmail)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeSeconds)
      .sign(key)
  }
}

async function readKey(pem: string): Promise<CryptoKey> {
  const { importPKCS8 } = await loadLibrary()
  const read = () => importPKCS8(pem, 'RS256')
  // Twice: Node takes an error that other cryptography left behind for one of this call (seen with Node 24.21).
  return read()
    .catch(read)
    .catch(() => {
      // No cause: it may quote the key.
      throw new CloudStoreError(
        'BLOB_UNAVAILABLE',
        'Signing in to Google Drive failed: the private key of the account cannot be read. Check the key file.',
      )
    })
}

async function loadLibrary(): Promise<typeof Jose> {
  try {
    return await import('jose')
  } catch (cause) {
    throw new CloudStoreError(
      'BLOB_UNAVAILABLE',
      'Opening the Drive store failed: the package "jose" is not installed. Run `npm install jose`.',
      { cause },
    )
  }
}
