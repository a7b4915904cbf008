import { useEffect, useState } from 'react'
import { platform } from '../../api/platform.ts'
import { type ChatFile, isPicture } from './chat-file.ts'

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
