import type { LoadedFile, LoadFileOptions } from '../../ports/channel.ts'
import { askPlatform, toChannelError, type PlatformCall } from '../call-platform.ts'
import { ChannelError } from '../channel-error.ts'

/** The longest that one file may take, in milliseconds. */
const timeoutMs = 120_000

/** Downloads a file of a platform by one request, without following a redirect. @throws {ChannelError} */
export async function downloadFile(
  call: Pick<PlatformCall, 'what' | 'url' | 'headers' | 'fetch' | 'secrets'>,
  { signal, maxBytes }: LoadFileOptions,
): Promise<LoadedFile> {
  const request = { ...call, method: 'GET', timeoutMs, maxBytes, signal } as const
  return askPlatform(request, async (response) => {
    if (response.status !== 200) {
      await response.body?.cancel()
      throw toChannelError(response, request)
    }
    const mediaType = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
    return { content: new Uint8Array(await response.arrayBuffer()), ...(mediaType && { mediaType }) }
  })
}

/** Where files of a platform are. */
interface FileHosts {
  /** Host names. One that begins with a dot stands for all names that end with it. */
  readonly hosts: readonly string[]
  /** Address that replaces the platform's own, if the operator set one: its origin counts too. */
  readonly apiBase: string | undefined
}

/**
 * Checks an address that came in a message: it must be https at a host of the platform, on the usual port, without a user.
 *
 * @throws {ChannelError} `permanent`, without the address.
 */
export function toFileUrl(what: string, given: unknown, { hosts, apiBase }: FileHosts): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  if (url && url.username === '' && url.password === '') {
    if (apiBase && URL.canParse(apiBase) && new URL(apiBase).origin === url.origin) return url.href
    const { hostname } = url
    const isOfPlatform = hosts.some((host) =>
      host.startsWith('.') ? hostname.endsWith(host) : hostname === host,
    )
    if (url.protocol === 'https:' && url.port === '' && isOfPlatform) return url.href
  }
  throw new ChannelError(
    'permanent',
    `${what} failed: the platform no longer has the file. Ask the person to send it again.`,
  )
}
