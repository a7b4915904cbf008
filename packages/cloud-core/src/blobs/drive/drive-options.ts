import type { FetchOption } from '@homeward/kit/http'
import { checkRemoteOptions } from '../../remote/check-remote-options.ts'
import { chunkStep } from './resumable-upload.ts'

/** A service account of Google Cloud, as its key file has it. */
export interface ServiceAccount {
  /** `client_email` of the key file. */
  readonly clientEmail: string
  /** `private_key` of the key file: PKCS #8 in PEM. */
  readonly privateKey: string
  /** `private_key_id` of the key file. */
  readonly privateKeyId?: string
}

/** Settings of `createDriveBlobs`. */
export interface DriveBlobsOptions {
  /** Who owns the files, as the key file of a service account says it. */
  readonly account: ServiceAccount
  /** Folder that the files go to: shared with the account for editing, best in a shared drive. It belongs to one cloud. */
  readonly folderId: string
  /** Size of the pieces of an upload, each held in memory once: a multiple of 256 KiB. @default 8388608 (8 MiB) */
  readonly chunkBytes?: number
  /** Milliseconds without an answer, or without any more of one, until a request is given up. @default 120000 */
  readonly timeoutMs?: number
  /** How often a request that failed for the moment is sent, the first time included. @default 5 */
  readonly attempts?: number
  /** Milliseconds before the first repeat; doubled for each further one. @default 1000 */
  readonly retryDelayMs?: number
  /** Where the Drive API is. @default "https://www.googleapis.com" */
  readonly apiUrl?: string
  /** Where access tokens are given. @default "https://oauth2.googleapis.com/token" */
  readonly tokenUrl?: string
  /**
   * What requests are sent with: a `fetch`, or an instance of ofetch, whose interceptors then run for each request.
   * @default globalThis.fetch
   */
  readonly fetch?: FetchOption
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** A number from 0 to 1. @default Math.random */
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
