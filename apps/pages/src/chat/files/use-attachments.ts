import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react'
import { type AttachedFile, attach, type Attachments } from './chat-file.ts'

const nothing: Attachments = { files: [], problems: [] }

/** The files that go along with the next message. */
export function useAttachments() {
  const [attachments, setAttachments] = useState(nothing)
  const [isReading, setIsReading] = useState(false)
  // One reading after the other: the second one counts what the first has added.
  const reading = useRef(Promise.resolve(nothing))

  function change(next: (current: Attachments) => Attachments | Promise<Attachments>): void {
    setIsReading(true)
    const done = reading.current.then(next)
    reading.current = done
    void done.then((current) => {
      setAttachments(current)
      if (reading.current === done) setIsReading(false)
    })
  }
  const add = (files: Iterable<File>): void => {
    const added = [...files]
    if (added.length > 0) change(({ files: known }) => attach(known, added))
  }

  return {
    ...attachments,
    /** Whether files are being read. */
    isReading,
    add,
    remove: (id: string) =>
      change(({ files }) => ({ files: files.filter((file) => file.id !== id), problems: [] })),
    /** Gives what is attached, which a message takes along. */
    take(): readonly AttachedFile[] {
      reading.current = Promise.resolve(nothing)
      setAttachments(nothing)
      return attachments.files
    },
    /** For what files are dropped on. */
    dropProps: {
      onDragOver(event: DragEvent) {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault()
      },
      onDrop(event: DragEvent) {
        if (event.dataTransfer.files.length === 0) return
        event.preventDefault()
        add(event.dataTransfer.files)
      },
    },
    /** Files in the clipboard are attached; text is pasted as ever. */
    onPaste(event: ClipboardEvent) {
      if (event.clipboardData.files.length === 0) return
      event.preventDefault()
      add(event.clipboardData.files)
    },
  }
}
