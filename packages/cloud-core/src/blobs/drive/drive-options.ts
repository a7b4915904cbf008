import type { FetchOption } from '@homeward/kit/http'
import { checkRemoteOptions } from '../../remote/check-remote-options.ts'
import { chunkStep } from './resumable-upload.ts'

/** A service account of Google Cloud, with the values of its key file. */
export interface ServiceAccount {
  /** `client_email` of the key file. */
  readonly clientEmail: string
  /** `private_key` of the key file: PKCS #8 in PEM. */
  readonly privateKey: string
  /** `private_key_id` of the key file. */
  readonly privateKeyId?: string
}

/** Options of `createDriveBlobs`. */
export interface DriveBlobsOptions {
  /** Service account that owns the files, with the values of its key file. */
  readonly account: ServiceAccount
  /**
   * Folder of the files, which the account must be able to edit; a shared drive is best. It must belong to one cloud
   * only.
   */
  readonly folderId: string
  /**
   * Size of the pieces of an upload in bytes, a multiple of 256 KiB. One piece is held in memory.
   *
   * @default 8388608 (8 MiB)
   */
  readonly chunkBytes?: number
  /** Time without any response data until a request is aborted, in milliseconds. @default 120000 */
  readonly timeoutMs?: number
  /** Maximum number of attempts for a request that fails temporarily, including the first. @default 5 */
  readonly attempts?: number
  /** Delay before the first retry in milliseconds, doubled for each further retry. @default 1000 */
  readonly retryDelayMs?: number
  /** Address of the Drive API. @default "https://www.googleapis.com" */
  readonly apiUrl?: string
  /** Address for access tokens. @default "https://oauth2.googleapis.com/token" */
  readonly tokenUrl?: string
  /**
   * A `fetch` function, or an ofetch instance whose interceptors then run for each request.
   *
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** Returns the milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** Returns a random number from 0 to 1. @default Math.random */
  readonly random?: () => number
}

const attempt = 'Creating the Drive store'

/** @throws {TypeError} that names the setting and what it must be. Never holds a key. */
export function checkDriveOptions({
  account,
  folderId,
  chunkBytes = chunkStep,
  ...options
}: DriveBlobsOptions): void {
  const { clientEmail, privateKey }: Partial<ServiceAccount> = { ...account }
  if (!/^[^\s@]+@[^\s@]+$/.test(clientEmail ?? ''))
    refuse('"account.clientEmail" must be the client_email of the key file')
  if (!privateKey?.includes('-----BEGIN PRIVATE KEY-----'))
    refuse('"account.privateKey" must be the private_key of the key file')
  if (!/^[\w-]+$/.test(folderId))
    refuse('"folderId" must be the id of a folder, which is the last part of its address')
  if (!Number.isInteger(chunkBytes / chunkStep) || chunkBytes <= 0)
    refuse(`"chunkBytes" must be a multiple of ${chunkStep}`)
  checkRemoteOptions(attempt, options)
  for (const name of ['apiUrl', 'tokenUrl'] as const) {
    const { [name]: url } = options
    if (url !== undefined && !/^https?:\/\//.test(url))
      refuse(`"${name}" must be an http:// or https:// address`)
  }
}

function refuse(reason: string): never {
  throw new TypeError(`${attempt} failed: ${reason}.`)
}
