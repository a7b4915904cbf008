import type { Upload } from '@homeward/contract/device-cloud'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import { DownloadText } from './download-text.tsx'
import { saveFile } from './save-file.ts'

interface SaveButtonProps {
  readonly upload: Upload
  /** Whether the file was changed since. */
  readonly isOld: boolean
}

/** Fetches an uploaded file with the token of the tab, and saves it. */
export function SaveButton({ upload, isOld }: SaveButtonProps) {
  const [isPending, setIsPending] = useState(false)

  async function save(): Promise<void> {
    setIsPending(true)
    await saveFile(upload)
    setIsPending(false)
  }

  return (
    <Button variant="quiet" icon={<Download aria-hidden />} isPending={isPending} onPress={() => void save()}>
      <DownloadText upload={upload} isOld={isOld} />
    </Button>
  )
}
