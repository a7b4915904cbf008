import type { Upload } from '@homeward/contract/device-cloud'
import { cloud, cloudBase } from '../api/cloud.ts'

/** The address of the web of an uploaded file. A store of the host's own may have taken the file instead (C13). */
export function addressOf({ fileUrl, spacesFile, driveFile }: Upload): string | undefined {
  const found = [fileUrl, spacesFile?.publicUrl, driveFile?.webViewLink].find((address) => {
    const url = address === undefined ? null : URL.parse(address)
    return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
  })
  // The device cloud does not know under which path this page calls it.
  const own = `${location.origin}/api/`
  return found?.startsWith(own) === true ? `${cloudBase}/api/${found.slice(own.length)}` : found
}

/** Whether the device cloud gives the file, and not a store elsewhere. */
export const isHere = (address: string): boolean => address.startsWith(cloudBase)

/** Fetches a file of the device cloud with the token of the tab. @param address `…/api/devices/files/{id}/{fileName}` */
export function fetchFile(address: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const [id = '', fileName = ''] = new URL(address).pathname.split('/').slice(-2).map(decodeURIComponent)
  return cloud.downloadFile({ params: { id, fileName }, ...(signal && { signal }) })
}
