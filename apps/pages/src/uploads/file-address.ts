import type { Upload } from '@homeward/contract/device-cloud'
import { cloud, cloudBase } from '../api/cloud.ts'
import { saveAs } from '../components/files/to-csv.ts'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

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

/** Media types of pictures that browsers show. SVG is not one of them: it can hold scripts, and shows as text. */
const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
}

const texts = new Set(
  `txt md markdown rst log csv tsv json jsonl ndjson xml html htm svg css scss js mjs cjs ts tsx jsx py rb go rs c h cpp hpp cc
  java kt swift cs php pl lua r sh bash zsh fish ps1 bat cmd sql yaml yml toml ini cfg conf env properties tex bib srt vtt ics
  vcf eml diff patch gitignore dockerfile makefile`.split(/\s+/),
)

/** How a file can be previewed. */
export type PreviewKind =
  | { readonly kind: 'image'; readonly mediaType: string }
  | { readonly kind: 'pdf' }
  | { readonly kind: 'text' }

/** How a file of this name can be previewed; undefined for one that has to be opened by a program. */
export function previewKind(fileName: string): PreviewKind | undefined {
  const name = fileName.split(/[/\\]/).at(-1)?.toLowerCase() ?? ''
  const ending = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name
  if (Object.hasOwn(pictures, ending)) return { kind: 'image', mediaType: pictures[ending] ?? '' }
  if (ending === 'pdf') return { kind: 'pdf' }
  return texts.has(ending) ? { kind: 'text' } : undefined
}

/** Fetches an uploaded file with the token of the tab, and saves it. A failure shows as a toast. */
export async function saveFile(upload: Upload): Promise<void> {
  const address = addressOf(upload)
  if (address === undefined || !isHere(address)) return
  try {
    const content = await new Response(await fetchFile(address)).blob()
    saveAs(content, upload.fileName ?? 'file')
  } catch (error) {
    showToast({ tone: 'bad', ...describeError(error instanceof Error ? error : new Error(String(error))) })
  }
}
