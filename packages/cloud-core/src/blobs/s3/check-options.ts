import { checkTexts } from '../../check-settings.ts'
import { checkRemoteOptions } from '../../remote/check-remote-options.ts'
import type { S3BlobsOptions } from './s3-options.ts'

const minPartBytes = 5 * 1024 * 1024
const maxPartBytes = 512 * 1024 * 1024
const longestLinkSeconds = 604_800
const attempt = 'Creating the S3 store'

type Checked = S3BlobsOptions & Required<Pick<S3BlobsOptions, 'links' | 'keyPrefix' | 'partBytes'>>

/** @throws {TypeError} that names the setting and what it must be. Never holds a key. */
export function checkS3Options({ endpoint, ...options }: Checked): void {
  const { keyPrefix, partBytes, links } = options
  if (!isHttpUrl(endpoint)) refuse('"endpoint" must be an http:// or https:// address with the bucket')
  checkTexts(attempt, options, ['accessKeyId', 'secretAccessKey'])
  if (!/^([A-Za-z0-9][A-Za-z0-9._-]*\/)*$/.test(keyPrefix))
    refuse('"keyPrefix" must be plain names that each end in "/"')
  if (!Number.isInteger(partBytes) || partBytes < minPartBytes || partBytes > maxPartBytes)
    refuse(`"partBytes" must be an integer between ${minPartBytes} and ${maxPartBytes}, got ${partBytes}`)
  checkRemoteOptions(attempt, options)
  if (links.kind === 'public') {
    if (!isHttpUrl(links.baseUrl)) refuse('"links.baseUrl" must be an http:// or https:// address')
    return
  }
  const { expiresInSeconds = 3600 } = links
  if (!Number.isInteger(expiresInSeconds) || expiresInSeconds < 1 || expiresInSeconds > longestLinkSeconds)
    refuse(
      `"links.expiresInSeconds" must be an integer between 1 and ${longestLinkSeconds}, got ${expiresInSeconds}`,
    )
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === ''
}

function refuse(reason: string): never {
  throw new TypeError(`${attempt} failed: ${reason}.`)
}
