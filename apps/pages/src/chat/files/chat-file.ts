import { maxFiles, maxFileBytes } from '@homeward/contract/agent-platform'
import { newId } from '../../api/use-idempotency-key.ts'
import { formatBytes } from '../../components/text/byte-size.tsx'
import { useEffect, useState } from 'react'
import { platform } from '../../api/platform.ts'

/** A file of a message: stored on the server, or attached here. */
export interface ChatFile {
  readonly id: string
  readonly name: string
  readonly media_type: string
  /** Size in bytes. */
  readonly bytes: number
  /** The bytes of one that was attached in this tab. */
  readonly content?: Blob | undefined
}

/** A file that was attached in this tab. */
export interface AttachedFile extends ChatFile {
  readonly content: Blob
  readonly base64: string
}

/** Bytes of all files of a message: as base64 they have to fit into a request of 32 MiB, with the text. */
const maxMessageBytes = 23 * 1024 * 1024

/** Files that may be sent together, and why others were left out. */
export interface Attachments {
  readonly files: readonly AttachedFile[]
  readonly problems: readonly string[]
}

/** Reads files and adds them to those that are attached already. */
export async function attach(known: readonly AttachedFile[], added: readonly File[]): Promise<Attachments> {
  const files = [...known]
  const problems: string[] = []
  for (const file of added) {
    const read = await readFile(file, files)
    if (typeof read === 'string') problems.push(read)
    else files.push(read)
  }
  return { files, problems }
}

async function readFile(file: File, known: readonly ChatFile[]): Promise<AttachedFile | string> {
  const { name, size, type } = file
  const total = known.reduce((sum, { bytes }) => sum + bytes, size)
  if (size === 0) return `${name} was not attached: the file is empty.`
  if (size > maxFileBytes)
    return `${name} was not attached: a file may have at most ${formatBytes(maxFileBytes)}, this one has ${formatBytes(size)}.`
  if (known.length >= maxFiles)
    return `${name} was not attached: a message may have at most ${maxFiles} files.`
  if (total > maxMessageBytes)
    return `${name} was not attached: all files of a message may have at most ${formatBytes(maxMessageBytes)}.`
  try {
    const base64 = await readBase64(file)
    const media_type = type || 'application/octet-stream'
    return { id: newId(), name, media_type, bytes: size, content: file, base64 }
  } catch {
    return `${name} was not attached: the browser could not read the file. Folders cannot be attached.`
  }
}

function readBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file could not be read.')))
    reader.addEventListener('load', () => {
      const url = reader.result as string // it was read as a data URL
      resolve(url.slice(url.indexOf(',') + 1))
    })
    reader.readAsDataURL(file)
  })
}

/** Whether browsers show it as a picture. SVG is left out: it can hold more than a picture. */
export const isPicture = ({ media_type: type }: Pick<ChatFile, 'media_type'>): boolean =>
  /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type)

/** The files that the result of a tool refers to. */
export function filesOfResult(result: unknown): readonly ChatFile[] {
  if (typeof result !== 'object' || result === null) return []
  const content: unknown = Reflect.get(result, 'content')
  return Array.isArray(content) ? content.filter(isReference) : []
}

function isReference(part: unknown): part is ChatFile {
  if (typeof part !== 'object' || part === null || Reflect.get(part, 'type') !== 'file') return false
  const texts = ['id', 'name', 'media_type'].map((key) => typeof Reflect.get(part, key))
  return texts.every((type) => type === 'string') && typeof Reflect.get(part, 'bytes') === 'number'
}

/** The bytes of a file; those that are stored are fetched with the token of the tab, which no address holds. */
export async function loadFile(file: ChatFile, signal?: AbortSignal): Promise<Blob> {
  if (file.content !== undefined) return file.content
  const content = await platform.getFile({ params: { id: file.id }, ...(signal && { signal }) })
  // only pictures are shown: no other type makes the browser do more than save it
  const type = isPicture(file) ? file.media_type : 'application/octet-stream'
  return new Blob([await new Response(content).arrayBuffer()], { type })
}

/** Where a picture can be shown from; undefined until it is there. */
export function usePictureUrl(file: ChatFile): {
  readonly url: string | undefined
  readonly hasFailed: boolean
} {
  const [url, setUrl] = useState<string>()
  const [hasFailed, setHasFailed] = useState(false)
  const { id } = file
  useEffect(() => {
    const reading = new AbortController()
    let made: string | undefined
    loadFile(file, reading.signal).then(
      (content) => {
        if (reading.signal.aborted) return
        made = URL.createObjectURL(content)
        setUrl(made)
        setHasFailed(false)
      },
      () => {
        if (!reading.signal.aborted) setHasFailed(true)
      },
    )
    return () => {
      reading.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
      setUrl(undefined)
    }
    // oxlint-disable-next-line react/exhaustive-deps -- what has the same id is the same file
  }, [id])
  return { url, hasFailed }
}
