import { File as FileIcon, X } from 'lucide-react'
import { IconButton } from '../../components/buttons/icon-button.tsx'
import { ByteSize } from '../../components/text/byte-size.tsx'
import { type AttachedFile, isPicture } from './chat-file.ts'
import { usePictureUrl } from './load-file.ts'

/** What {@link AttachedFiles} takes. */
export interface AttachedFilesProps {
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
