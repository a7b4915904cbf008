import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { LoadingState } from '../components/states/loading-state.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { fetchFile } from './file-address.ts'
import './file-preview.css'
import { type PreviewKind, previewKind } from './file-address.ts'

/** More of a text nobody reads in a window. */
const maxTextBytes = 256 * 1024
const maxImageBytes = 20 * 1024 * 1024

interface FilePreviewProps {
  readonly address: string
  readonly fileName: string
}

/** Shows the begin of a text, or a picture. Nothing of the file runs: a page or a drawing with scripts shows as text. */
export function FilePreview({ address, fileName }: FilePreviewProps) {
  const kind = previewKind(fileName)
  const { data, error } = useQuery({
    queryKey: ['file preview', address],
    queryFn: async ({ signal }) =>
      readBegin(await fetchFile(address, signal), kind?.kind === 'image' ? maxImageBytes : maxTextBytes),
    enabled: kind !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  })
  if (kind === undefined) return <NoPreview />
  if (error) return <ErrorState error={error} isInline />
  if (data === undefined) return <LoadingState label="Loading the file …" />
  return kind.kind === 'image' ? (
    <Picture begin={data} mediaType={kind.mediaType} fileName={fileName} />
  ) : (
    <Text begin={data} fileName={fileName} />
  )
}

const NoPreview = () => (
  <p className="muted">Files of this kind have no preview. Download the file to open it.</p>
)

function Text({ begin, fileName }: { readonly begin: FileBegin; readonly fileName: string }) {
  const text = decodeText(begin)
  if (text === undefined) return <NoPreview />
  return (
    <div className="file-preview">
      {begin.isCut && <Notice>Only the first 256 kB are shown. Download the file for all of it.</Notice>}
      {text === '' ? (
        <p className="muted">The file is empty.</p>
      ) : (
        <CodeBlock code={text} label={`content of ${fileName}`} isWrapped />
      )}
    </div>
  )
}

interface PictureProps {
  readonly begin: FileBegin
  readonly mediaType: Extract<PreviewKind, { kind: 'image' }>['mediaType']
  readonly fileName: string
}

function Picture({ begin, mediaType, fileName }: PictureProps) {
  const [address, setAddress] = useState<string>()
  const [isBroken, setIsBroken] = useState(false)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([begin.bytes], { type: mediaType }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [begin, mediaType])
  if (begin.isCut)
    return <Notice>The picture is too large for a preview. Download the file to open it.</Notice>
  if (isBroken) return <NoPreview />
  return (
    <div className="file-preview">
      {address !== undefined && <img src={address} alt={fileName} onError={() => setIsBroken(true)} />}
    </div>
  )
}

/** The begin of a file. */
interface FileBegin {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether the file is longer. */
  readonly isCut: boolean
}

/** Reads at most so many bytes of a stream, and cancels the rest. */
export async function readBegin(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<FileBegin> {
  const reader = stream.getReader()
  const bytes = new Uint8Array(maxBytes)
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { bytes: bytes.slice(0, length), isCut: false }
    const part = value.subarray(0, maxBytes - length)
    bytes.set(part, length)
    length += part.length
    if (part.length < value.length) {
      await reader.cancel()
      return { bytes, isCut: true }
    }
  }
}

/** The text of a file; undefined for one that is not UTF-8 text. A character that was cut at the end is left out. */
export function decodeText({ bytes, isCut }: FileBegin): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
