import {
  boundResponse,
  type Deadline,
  sendRequest,
  type FetchOption,
  HttpFailure,
  startDeadline,
  toFetch,
} from '@homeward/kit/http'
import { SkillStoreError } from '../skill-store-error.ts'

const maxRedirects = 5

/** How something is fetched from a store. */
interface DownloadOptions {
  /** What the messages of errors begin with: `Fetching the registry`. */
  readonly attempt: string
  readonly fetch?: FetchOption | undefined
  /** Largest answer in bytes; more is cut off and refused. */
  readonly maxBytes: number
  /** Milliseconds for everything, redirects and body included. */
  readonly timeoutMs: number
  /** Gives the address that is really asked: the one place that adds a license. */
  readonly authorize: (url: URL) => URL
  readonly signal?: AbortSignal | undefined
}

/** What was fetched, and from where in the end. */
interface Download {
  readonly bytes: Uint8Array
  /** Address of the answer, without a license. */
  readonly url: URL
}

/**
 * Fetches with limits: in size, in time, and redirects only to https or within the same origin.
 *
 * @throws {SkillStoreError} `UNREACHABLE`, `TIMEOUT`, `HTTP`, `LICENSE_REQUIRED`, `NOT_FOUND`, `REDIRECTED`,
 *   `TOO_LARGE`. Rejects with the signal's reason when it aborts.
 */
export async function download(url: URL, options: DownloadOptions): Promise<Download> {
  const { signal, timeoutMs, maxBytes } = options
  signal?.throwIfAborted()
  const deadline = startDeadline(timeoutMs, signal)
  try {
    const answer = await follow(url, options, deadline)
    const bytes = await boundResponse(answer.response, { deadline, maxBytes }).bytes()
    return { bytes, url: answer.url }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw SkillStoreError.is(error) ? error : toStoreError(error, url, options)
  } finally {
    deadline.end()
  }
}

/** No cause: what the platform reports may quote the address, license included. */
function toStoreError(error: unknown, { origin }: URL, options: DownloadOptions): SkillStoreError {
  const { attempt, timeoutMs, maxBytes } = options
  const code = error instanceof HttpFailure ? error.code : undefined
  if (code === 'TIMEOUT') {
    const seconds = Math.round(timeoutMs / 1000)
    return new SkillStoreError(
      'TIMEOUT',
      `${attempt} failed: ${origin} took longer than ${seconds} s. Try again, or raise "timeoutMs".`,
    )
  }
  if (code === 'TOO_LARGE')
    return new SkillStoreError(
      'TOO_LARGE',
      `${attempt} failed: the response is larger than ${maxBytes} bytes.`,
    )
  return new SkillStoreError(
    'UNREACHABLE',
    `${attempt} failed: ${origin} cannot be reached, or the connection broke. Check the address and try again.`,
  )
}

async function follow(
  start: URL,
  options: DownloadOptions,
  deadline: Deadline,
): Promise<{ readonly response: Response; readonly url: URL }> {
  const fetch = toFetch(options.fetch)
  let url = start
  for (let redirects = 0; ; redirects += 1) {
    const { href } = options.authorize(url)
    const response = await sendRequest({ fetch, url: href, init: {}, deadline, passesRedirects: true })
    if (!isRedirect(response)) {
      if (!response.ok) throw await toHttpError(response, url, options.attempt)
      return { response, url }
    }
    await response.body?.cancel()
    if (redirects === maxRedirects) {
      throw new SkillStoreError(
        'REDIRECTED',
        `${options.attempt} failed: the store redirected more than ${maxRedirects} times. Check its address.`,
      )
    }
    url = targetOf(response, url, options.attempt)
  }
}

const isRedirect = ({ status }: Response) => [301, 302, 303, 307, 308].includes(status)

function targetOf(response: Response, from: URL, attempt: string): URL {
  const target = URL.parse(response.headers.get('location') ?? '', from)
  if (target && (target.protocol === 'https:' || target.origin === from.origin)) return target
  throw new SkillStoreError(
    'REDIRECTED',
    `${attempt} failed: ${from.origin} redirects to ${target?.origin ?? 'no address'}. ` +
      'A redirect must lead to https or stay at its origin. Check the address of the store.',
  )
}

async function toHttpError(response: Response, url: URL, attempt: string): Promise<SkillStoreError> {
  await response.body?.cancel()
  const { status } = response
  const said = `${attempt} failed: ${url.origin} responded with ${status}`
  if (status === 401 || status === 403) {
    return new SkillStoreError(
      'LICENSE_REQUIRED',
      `${said}. Set a valid license token. It is sent to the origin of the registry only.`,
      {
        status,
      },
    )
  }
  if (status === 404 || status === 410) {
    return new SkillStoreError('NOT_FOUND', `${said}. Check the address.`, { status })
  }
  return new SkillStoreError('HTTP', `${said}.`, { status })
}
