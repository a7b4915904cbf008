import { Paperclip } from 'lucide-react'
import { FileTrigger } from 'react-aria-components'
import { IconButton } from '../../components/buttons/icon-button.tsx'

/** Has files chosen for the next message. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <FileTrigger allowsMultiple onSelect={(files) => onFiles(files ?? [])}>
      <IconButton icon={<Paperclip aria-hidden />} label="Attach files" />
    </FileTrigger>
  )
}
