import type { SearchRequest, UploadRequest } from '@homeward/contract/device-cloud'
import { onAbort, type Timers, untilAborted } from '@homeward/kit'
import { DeviceCloudError } from '../device-cloud-error.ts'

/** A request of the cloud that needs the consent of the device's owner. */
export type ConsentRequest =
  | { readonly action: 'search'; readonly request: SearchRequest }
  | { readonly action: 'upload'; readonly request: UploadRequest }

/**
 * Rules about what this device shares. The cloud cannot extend them.
 *
 * The shared folders are set where files are read: see the file source and the file search of
 * `@homeward/device-sdk/node`.
 */
export interface DevicePolicy {
  /** Scopes that may be searched. @default every scope that has a provider */
  readonly scopes?: readonly string[]
  /** Whether the cloud may search for text inside files (scope `content`). @default false */
  readonly contentSearch?: boolean
  /** Largest file that may be uploaded, in bytes. @default 104857600 */
  readonly maxUploadBytes?: number
  /**
   * Asks the owner of the device before each search and upload. `request.actor` is the requester.
   *
   * Other requests continue in the meantime. Any result except `true`, or an error, denies the request with
   * `consent_denied`; a `DeviceCloudError` with `TIMEOUT` denies it with `consent_timeout`. After a restart, the same
   * request may be asked again.
   *
   * @default no consent is needed
   */
  readonly consent?: (request: ConsentRequest, signal: AbortSignal) => boolean | Promise<boolean>
  /**
   * Milliseconds until a request without an answer ends with `consent_timeout` and the signal aborts.
   *
   * @default 300000
   */
  readonly consentTimeoutMs?: number
}

/** Whether the policy lets the cloud search through `scope`. */
export const allowsScope = ({ scopes, contentSearch = false }: DevicePolicy, scope: string): boolean =>
  (scopes?.includes(scope) ?? true) && (scope !== 'content' || contentSearch)

/** Why a path may not even be opened, or undefined when it may. */
export function findPathProblem(filePath: string): string | undefined {
  if (filePath.includes('\0')) return 'the path contains a NUL character'
  if (/^[a-z][a-z0-9+.-]+:/i.test(filePath)) return 'the path is a URL'
  if (!/^(\/|[a-z]:[\\/]|\\\\)/i.test(filePath)) return 'the path is not absolute'
  return undefined
}

const defaultTimeoutMs = 300_000

/**
 * Asks the owner of the device, if the policy says so.
 *
 * @returns undefined for a yes, else why nothing leaves the device
 * @throws the reason of `signal` when that aborts
 */
export async function askOwner(
  { consent, consentTimeoutMs = defaultTimeoutMs }: DevicePolicy,
  request: ConsentRequest,
  timers: Timers,
  signal: AbortSignal,
): Promise<'consent_denied' | 'consent_timeout' | undefined> {
  if (!consent) return undefined
  const asking = new AbortController()
  let isLate = false
  const forget = onAbort(signal, () => asking.abort(signal.reason))
  const timer = timers.setTimeout(() => {
    isLate = true
    asking.abort(new Error('The owner of the device did not decide in time'))
  }, consentTimeoutMs)
  try {
    signal.throwIfAborted()
    const answer: unknown = await untilAborted((async () => consent(request, asking.signal))(), asking.signal)
    return answer === true ? undefined : 'consent_denied'
  } catch (error) {
    signal.throwIfAborted()
    const isSilence = isLate || (DeviceCloudError.is(error) && error.code === 'TIMEOUT')
    return isSilence ? 'consent_timeout' : 'consent_denied'
  } finally {
    timers.clearTimeout(timer)
    forget()
  }
}
