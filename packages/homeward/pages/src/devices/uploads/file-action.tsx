import { FileDown } from 'lucide-react'
import { useCloudMutation } from '../../api/cloud.ts'
import { Button } from '../../components/buttons/button.tsx'
import { describeError } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { copiesOf } from './copies-of.ts'
import { DownloadLink } from './download-link.tsx'
import './file-action.css'
import { UploadProgress } from './upload-progress.tsx'
import { isOpen, useUploads } from './use-uploads.ts'

interface FileActionProps {
  readonly deviceId: string
  readonly filePath: string
  /** When the file was changed last, as the device said; ISO 8601. */
  readonly modified: string
}

/**
 * Asks the device for one file, shows how that goes, and then leads to it. A copy that is older than the file can be had as
 * well: the clock of a device may be wrong, and the file gone.
 */
export function FileAction({ deviceId, filePath, modified }: FileActionProps) {
  const uploads = useUploads({ deviceId })
  const { last, copy, isCurrent } = copiesOf(uploads.data ?? [], { filePath, modified })
  const ask = useCloudMutation('createUploads', {
    invalidates: ['listUploads'],
    onError(error) {
      const { title, text } = describeError(error)
      showToast({ tone: 'bad', title, text })
    },
  })
  if (last && isOpen(last)) return <UploadProgress upload={last} />
  if (copy && isCurrent) return <DownloadLink upload={copy} />
  const label = last?.status === 'failed' ? 'Try again' : 'Get file'
  const button = (
    <Button
      variant="quiet"
      icon={<FileDown aria-hidden />}
      isPending={ask.isPending}
      aria-label={`${label}: ${filePath}`}
      onPress={() => ask.mutate({ body: { deviceIds: [deviceId], filePath, destination: 'cloud' } })}
    >
      {label}
    </Button>
  )
  if (!copy) return button
  return (
    <div className="file-action">
      {button}
      <DownloadLink upload={copy} isOld />
    </div>
  )
}
