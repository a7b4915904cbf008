import type { SearchRequest, UploadRequest } from '@homeward/contract/device-cloud'

/** A request of the cloud, for the consent of the device's owner. */
export type ConsentRequest =
  | { readonly action: 'search'; readonly request: SearchRequest }
  | { readonly action: 'upload'; readonly request: UploadRequest }

/**
 * What this device gives away. No answer of any cloud can widen it.
 *
 * Which folders are open is decided where files are read: see the file source and the file search of
 * `@homeward/device-sdk/node`.
 */
export interface DevicePolicy {
  /** Scopes that may be searched. @default every scope that has a provider */
  readonly scopes?: readonly string[]
  /** Whether the cloud may search for text inside files (scope `content`). @default false */
  readonly contentSearch?: boolean
  /** Largest file that may be uploaded, in bytes. @default 104857600 */
  readonly maxUploadBytes?: number
  /** Called before each search and upload. Any result other than `true`, or an error, denies it. */
  readonly consent?: (request: ConsentRequest, signal: AbortSignal) => boolean | Promise<boolean>
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

/** Whether the owner of the device agrees. */
export async function hasConsent(
  policy: DevicePolicy,
  request: ConsentRequest,
  signal: AbortSignal,
): Promise<boolean> {
  if (!policy.consent) return true
  try {
    const answer: unknown = await policy.consent(request, signal)
    return answer === true
  } catch {
    return false
  }
}
