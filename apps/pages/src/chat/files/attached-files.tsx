import { File as FileIcon, X, Paperclip } from 'lucide-react'
import { IconButton } from '../../components/buttons/icon-button.tsx'
import { ByteSize } from '../../components/text/byte-size.tsx'
import { type AttachedFile, isPicture, usePictureUrl, attach, type Attachments } from './chat-file.ts'
import { FileTrigger } from 'react-aria-components'
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react'

/** What {@link AttachedFiles} takes. */
interface AttachedFilesProps {
  readonly files: readonly AttachedFile[]
  /** Why other files were not attached. */
  readonly problems: readonly string[]
  readonly onRemove: (id: string) => void
}

/** Files that go along with the next message. */
export function AttachedFiles({ files, problems, onRemove }: AttachedFilesProps) {
  return (
    <div className="chat-attached">
      {problems.map((problem) => (
        <p key={problem} className="field-error foreign" role="alert">
          {problem}
        </p>
      ))}
      {files.length > 0 && (
        <ul aria-label="Attached files">
          {files.map((file) => (
            <li key={file.id} className="chat-attached-file">
              {isPicture(file) ? <Preview file={file} /> : <FileIcon aria-hidden />}
              <span className="foreign truncate" dir="auto">
                {file.name}
              </span>
              <ByteSize value={file.bytes} />
              <IconButton
                icon={<X aria-hidden />}
                label={`Remove ${file.name}`}
                onPress={() => onRemove(file.id)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Preview({ file }: { readonly file: AttachedFile }) {
  const { url } = usePictureUrl(file)
  return url === undefined ? <FileIcon aria-hidden /> : <img className="chat-preview" src={url} alt="" />
}

/** Has files chosen for the next message. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <FileTrigger allowsMultiple onSelect={(files) => onFiles(files ?? [])}>
      <IconButton icon={<Paperclip aria-hidden />} label="Attach files" />
    </FileTrigger>
  )
}

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
