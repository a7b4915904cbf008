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
const maxWholeBytes = 20 * 1024 * 1024

interface FilePreviewProps {
  readonly address: string
  readonly fileName: string
}

/**
 * Shows the begin of a text, a picture, or a PDF in the viewer of the browser. Nothing of the file runs in the page: a page or
 * a drawing with scripts shows as text.
 */
export function FilePreview({ address, fileName }: FilePreviewProps) {
  const kind = previewKind(fileName)
  const { data, error } = useQuery({
    queryKey: ['file preview', address],
    queryFn: async ({ signal }) =>
      readBegin(await fetchFile(address, signal), kind?.kind === 'text' ? maxTextBytes : maxWholeBytes),
    enabled: kind !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  })
  if (kind === undefined) return <NoPreview />
  if (error) return <ErrorState error={error} isInline />
  if (data === undefined) return <LoadingState label="Loading the file …" />
  if (kind.kind === 'text') return <Text begin={data} fileName={fileName} />
  if (data.isCut) return <Notice>The file is too large for a preview. Download it to open it.</Notice>
  return kind.kind === 'image' ? (
    <Picture begin={data} mediaType={kind.mediaType} fileName={fileName} />
  ) : (
    <Pdf begin={data} fileName={fileName} />
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
  const address = useObjectUrl(begin, mediaType)
  const [isBroken, setIsBroken] = useState(false)
  if (isBroken) return <NoPreview />
  return (
    <div className="file-preview">
      {address !== undefined && <img src={address} alt={fileName} onError={() => setIsBroken(true)} />}
    </div>
  )
}

/** Phones have no viewer within a page. */
function Pdf({ begin, fileName }: { readonly begin: FileBegin; readonly fileName: string }) {
  const address = useObjectUrl(begin, 'application/pdf')
  if (!navigator.pdfViewerEnabled) return <NoPreview />
  return (
    <div className="file-preview">
      {address !== undefined && (
        <iframe src={`${address}#navpanes=0&view=FitH`} title={`Content of ${fileName}`} />
      )}
    </div>
  )
}

/** An address within the page of what was read. */
function useObjectUrl({ bytes }: FileBegin, mediaType: string): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: mediaType }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, mediaType])
  return address
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
