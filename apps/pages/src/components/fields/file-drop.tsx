import { Upload } from 'lucide-react'
import { DropZone, FileTrigger, Text, type FileDropItem } from 'react-aria-components'
import { Button } from '../buttons/button.tsx'
import './file-drop.css'

/** What a {@link FileDrop} takes. */
interface FileDropProps {
  /** What to drop there. */
  readonly label: string
  /** What the button says. */
  readonly buttonLabel: string
  /** Endings of names that the picker offers: `.zip`. */
  readonly endings: readonly string[]
  /** At least one file; exactly one unless several may come at once. */
  readonly onFiles: (files: readonly [File, ...File[]]) => void
  /** Whether several files may come at once. @default false */
  readonly isMultiple?: boolean
  readonly isPending?: boolean
}

/** Takes files: dropped, pasted, or chosen. */
export function FileDrop(props: FileDropProps) {
  const { label, buttonLabel, endings, onFiles, isMultiple = false, isPending = false } = props
  function take(files: readonly File[]): void {
    const [first, ...others] = files
    if (first) onFiles(isMultiple ? [first, ...others] : [first])
  }
  return (
    <DropZone
      className="file-drop"
      data-multiple={isMultiple || undefined}
      isDisabled={isPending}
      onDrop={({ items }) => {
        const dropped = items.filter((item): item is FileDropItem => item.kind === 'file')
        void Promise.all(dropped.map(async (item) => item.getFile())).then(take)
      }}
    >
      <Upload aria-hidden />
      <Text slot="label" className="muted">
        {label}
      </Text>
      <FileTrigger
        acceptedFileTypes={endings}
        allowsMultiple={isMultiple}
        onSelect={(files) => take([...(files ?? [])])}
      >
        <Button isPending={isPending}>{buttonLabel}</Button>
      </FileTrigger>
    </DropZone>
  )
}
