import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import { saveAs } from '../../components/files/to-csv.ts'
import { describeError } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { ByteSize } from '../../components/text/byte-size.tsx'
import { type ChatFile, isPicture } from './chat-file.ts'
import { loadFile, usePictureUrl } from './chat-file.ts'

/** What {@link MessageFiles} takes. */
interface MessageFilesProps {
  /** Whose files they are, for those who do not see them. */
  readonly label: string
  readonly files: readonly ChatFile[]
}

/** Files of a message: pictures are shown, and each file can be saved. */
export function MessageFiles({ label, files }: MessageFilesProps) {
  if (files.length === 0) return null
  return (
    <ul className="chat-files" aria-label={label}>
      {files.map((file) => (
        <li key={file.id} className="chat-file">
          {isPicture(file) && <Picture file={file} />}
          <SaveFile file={file} />
        </li>
      ))}
    </ul>
  )
}

function Picture({ file }: { readonly file: ChatFile }) {
  const { url, hasFailed } = usePictureUrl(file)
  if (hasFailed) return <p className="muted small">The picture could not be loaded.</p>
  if (url === undefined) return <div className="chat-picture" aria-busy />
  return <img className="chat-picture" src={url} alt={file.name} />
}

function SaveFile({ file }: { readonly file: ChatFile }) {
  const [isPending, setIsPending] = useState(false)

  async function save(): Promise<void> {
    setIsPending(true)
    try {
      saveAs(await loadFile(file), file.name)
    } catch (error) {
      const { title, text } = describeError(error instanceof Error ? error : new Error(String(error)))
      showToast({ tone: 'bad', title, text })
    } finally {
      setIsPending(false)
    }
  }

  return (
    <Button variant="quiet" icon={<Download aria-hidden />} isPending={isPending} onPress={() => void save()}>
      <span className="foreign chat-file-name" dir="auto">
        {file.name}
      </span>{' '}
      <ByteSize value={file.bytes} />
    </Button>
  )
}
