import { parseRetryAfter } from '@homeward/kit'
import type { Fetch } from '@homeward/kit/http'
import type * as Library from 's3mini'
import type { S3mini } from 's3mini'
import { CloudStoreError } from '../../ports/cloud-store-error.ts'
import { guardFetch } from '../../remote/guarded-fetch.ts'
import { uncompressed } from '../remote/uncompressed.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { withRetries, type RetryPolicy } from '../../remote/with-retries.ts'
import type { S3BlobsOptions } from './s3-options.ts'

const maxReplyBytes = 4 * 1024 * 1024
/** Requests of one call of the library, which asks for the next page while one holds fewer objects than it wants. */
const maxRequests = 100

/** A list that does not end. */
export const listsForEver = () =>
  new RemoteFailure('the service lists the same objects again and again', { transient: false })

/** Requests to one bucket, under one signal. */
export interface S3Client {
  /** Sends a request, again where it failed for the moment. @throws {RemoteFailure} */
  send<T>(request: (s3: S3mini) => Promise<T>): Promise<T>
  /** Headers of the last answer. */
  lastHeaders(): Headers | undefined
}

/** Makes clients; loads the library with the first one. */
type S3Clients = (signal: AbortSignal, options?: { readonly wholeFile?: boolean }) => Promise<S3Client>

/** Builds {@link S3Clients}. */
export function createS3Clients(options: S3BlobsOptions): S3Clients {
  const policy: RetryPolicy = {
    attempts: options.attempts ?? 4,
    firstDelayMs: options.retryDelayMs ?? 500,
    random: options.random ?? Math.random,
  }
  return async (signal, { wholeFile = false } = {}) => {
    const { S3mini } = await loadLibrary()
    let last: Response | undefined
    let requests = 0
    const guarded = guardFetch({
      fetch: options.fetch,
      timeoutMs: options.timeoutMs ?? 120_000,
      maxReplyBytes: wholeFile ? Number.POSITIVE_INFINITY : maxReplyBytes,
      signal,
    })
    const noted: Fetch = async (input, init) => {
      if ((requests += 1) > maxRequests) throw listsForEver()
      return (last = await guarded(input, wholeFile ? uncompressed(init) : init))
    }
    const { endpoint, region = 'auto', accessKeyId, secretAccessKey } = options
    // The library passes a string and plain options; its type is that of the global `fetch`.
    const s3 = new S3mini({
      endpoint,
      region,
      accessKeyId,
      secretAccessKey,
      fetch: noted as typeof globalThis.fetch,
    })
    const once = async <T>(request: (client: S3mini) => Promise<T>): Promise<T> => {
      last = undefined
      requests = 0
      try {
        return await request(s3)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw toFailure(error, last)
      }
    }
    return {
      send: (request) => withRetries(policy, signal, () => once(request)),
      lastHeaders: () => last?.headers,
    }
  }
}

const hints: Readonly<Record<number, string>> = {
  401: '. Check the keys',
  403: '. Check the keys and their permissions',
  404: '. Check the name of the bucket',
}

/** The library's own errors hold what the service said, which may repeat what was signed. */
function toFailure(error: unknown, response: Response | undefined): RemoteFailure {
  if (error instanceof RemoteFailure) return error
  const status = response?.status
  if (status !== undefined && status >= 400) {
    const told: unknown = error instanceof Error ? Reflect.get(error, 'serviceCode') : undefined
    const code = typeof told === 'string' && /^\w{1,64}$/.test(told) && told !== 'Unknown' ? ` ${told}` : ''
    return new RemoteFailure(`the service responded with ${status}${code}${hints[status] ?? ''}`, {
      status,
      retryAfterMs: parseRetryAfter(response?.headers.get('retry-after'), Date.now()),
    })
  }
  if (status === undefined) return new RemoteFailure('the service cannot be reached, or the connection broke')
  return new RemoteFailure('the service sent an unexpected response', { status, transient: true })
}

async function loadLibrary(): Promise<typeof Library> {
  try {
    return await import('s3mini')
  } catch (cause) {
    throw new CloudStoreError(
      'BLOB_UNAVAILABLE',
      'Opening the S3 store failed: the package "s3mini" is not installed. Run `npm install s3mini`.',
      { cause },
    )
  }
}
