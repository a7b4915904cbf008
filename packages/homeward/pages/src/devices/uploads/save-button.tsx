import type { Upload } from '@homeward/contract/device-cloud'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { cloud } from '../../api/cloud.ts'
import { Button } from '../../components/buttons/button.tsx'
import { saveAs } from '../../components/files/save-as.ts'
import { describeError } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { DownloadText } from './download-text.tsx'

interface SaveButtonProps {
  /** `…/api/devices/files/{id}/{fileName}` */
  readonly address: string
  readonly upload: Upload
  /** Whether the file was changed since. */
  readonly isOld: boolean
}

/** Fetches an uploaded file with the token of the tab, and saves it. */
export function SaveButton({ address, upload, isOld }: SaveButtonProps) {
  const [isPending, setIsPending] = useState(false)
  const fileName = upload.fileName ?? 'file'

  async function save(): Promise<void> {
    setIsPending(true)
    try {
      const [id = '', name = ''] = new URL(address).pathname.split('/').slice(-2).map(decodeURIComponent)
      const content = await cloud.downloadFile({ params: { id, fileName: name } })
      saveAs(await new Response(content).blob(), fileName)
    } catch (error) {
      const { title, text } = describeError(error instanceof Error ? error : new Error(String(error)))
      showToast({ tone: 'bad', title, text })
    } finally {
      setIsPending(false)
    }
  }

  return (
    <Button variant="quiet" icon={<Download aria-hidden />} isPending={isPending} onPress={() => void save()}>
      <DownloadText upload={upload} isOld={isOld} />
    </Button>
  )
}
