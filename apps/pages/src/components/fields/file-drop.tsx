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
  readonly onFile: (file: File) => void
  readonly isPending?: boolean
}

/** Takes one file: dropped, pasted, or chosen. */
export function FileDrop({ label, buttonLabel, endings, onFile, isPending = false }: FileDropProps) {
  return (
    <DropZone
      className="file-drop"
      isDisabled={isPending}
      onDrop={({ items }) => {
        const dropped = items.find((item): item is FileDropItem => item.kind === 'file')
        if (dropped) void dropped.getFile().then(onFile)
      }}
    >
      <Upload aria-hidden />
      <Text slot="label" className="muted">
        {label}
      </Text>
      <FileTrigger
        acceptedFileTypes={endings}
        onSelect={(files) => {
          const [file] = files ?? []
          if (file) onFile(file)
        }}
      >
        <Button isPending={isPending}>{buttonLabel}</Button>
      </FileTrigger>
    </DropZone>
  )
}
