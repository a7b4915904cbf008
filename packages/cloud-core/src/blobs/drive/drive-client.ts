import type { Fetch } from '@homeward/kit/http'
import { guardFetch } from '../../remote/guarded-fetch.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { parseRetryAfter, untilAborted } from '@homeward/kit'
import { withRetries, type RetryPolicy } from '../../remote/with-retries.ts'
import { uncompressed } from '../remote/uncompressed.ts'
import { createAccessTokens } from './access-token.ts'
import type { DriveBlobsOptions } from './drive-options.ts'

const maxReplyBytes = 4 * 1024 * 1024

/** Statuses that a caller wants to see besides success. */
type Tolerated = readonly number[]

/** Requests to Drive, under one signal. */
export interface DriveClient {
  readonly apiUrl: string
  /** Sends one request with a token. @throws {RemoteFailure} for every status but success and `tolerated`. */
  send(url: string, init: RequestInit, tolerated?: Tolerated): Promise<Response>
  /** {@link send}, again where it failed for the moment. */
  sendAgain(url: string, init: RequestInit, tolerated?: Tolerated): Promise<Response>
  /** Runs something again where it failed for the moment. */
  again<T>(work: () => Promise<T>): Promise<T>
}

/** Makes clients; the token is shared by all of them. */
export function createDriveClients(
  options: DriveBlobsOptions,
): (signal: AbortSignal, kind?: { readonly wholeFile?: boolean }) => DriveClient {
  const { fetch, timeoutMs = 120_000, tokenUrl = 'https://oauth2.googleapis.com/token' } = options
  const apiUrl = (options.apiUrl ?? 'https://www.googleapis.com').replace(/\/+$/, '')
  const tokens = createAccessTokens(options.account, tokenUrl, options.now ?? Date.now)
  const policy: RetryPolicy = {
    attempts: options.attempts ?? 5,
    firstDelayMs: options.retryDelayMs ?? 1000,
    random: options.random ?? Math.random,
  }

  return (signal, { wholeFile = false } = {}) => {
    const guard = (maxBytes: number, ends: AbortSignal): Fetch =>
      guardFetch({ fetch, timeoutMs, maxReplyBytes: maxBytes, signal: ends })
    const guarded = guard(wholeFile ? Number.POSITIVE_INFINITY : maxReplyBytes, signal)
    // The token is for all who wait for it: who gives up does not take it from the others.
    const forTokens = guard(maxReplyBytes, new AbortController().signal)

    async function authorized(url: string, init: RequestInit): Promise<Response> {
      for (let attempt = 1; ; attempt += 1) {
        const token = await untilAborted(tokens.read(forTokens), signal)
        const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` }
        const signed = { ...init, headers }
        const response = await guarded(url, wholeFile ? uncompressed(signed) : signed)
        if (response.status !== 401 || attempt === 2) return response
        tokens.refuse(token)
        await response.body?.cancel()
      }
    }

    async function send(url: string, init: RequestInit, tolerated: Tolerated = []): Promise<Response> {
      const response = await authorized(url, init)
      if (response.ok || tolerated.includes(response.status)) return response
      throw await toFailure(response)
    }

    return {
      apiUrl,
      send,
      sendAgain: (url, init, tolerated) => withRetries(policy, signal, () => send(url, init, tolerated)),
      again: (work) => withRetries(policy, signal, work),
    }
  }
}

const busyReasons = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'sharingRateLimitExceeded'])
const hints: Readonly<Record<string, string>> = {
  storageQuotaExceeded: 'the storage is full. Use a folder in a shared drive, or free some space',
  insufficientFilePermissions:
    'the account may not write to the folder. Share the folder with it for editing',
  insufficientPermissions: 'the account may not write to the folder. Share the folder with it for editing',
  notFound:
    'the folder or the file does not exist. Check the folder id, and that it is shared with the account',
}

/** What Drive says in its error, by its reason alone: the message may quote names of files. */
async function toFailure(response: Response): Promise<RemoteFailure> {
  const { status, headers } = response
  const reason = await reasonOf(response)
  const isBusy = status === 403 && busyReasons.has(reason ?? '')
  const told =
    reason === undefined ? `Drive responded with ${status}` : `Drive responded with ${status} ${reason}`
  const hint = hints[reason ?? '']
  return new RemoteFailure(hint === undefined ? told : `${told}: ${hint}`, {
    status,
    ...(isBusy && { transient: true }),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
  })
}

async function reasonOf(response: Response): Promise<string | undefined> {
  const text = await response.text().catch(() => '')
  const reason = /"reason"\s*:\s*"(\w{1,64})"/.exec(text)?.[1]
  return reason
}
