import { FileDown } from 'lucide-react'
import { useCloudMutation } from '../../api/cloud.ts'
import { Button } from '../../components/button.tsx'
import { describeError } from '../../components/error-state.tsx'
import { showToast } from '../../components/toasts.tsx'
import { DownloadLink } from './download-link.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { isOpen, useUploads } from './use-uploads.ts'

interface FileActionProps {
  readonly deviceId: string
  readonly filePath: string
}

/** Asks the device for one file, shows how that goes, and then leads to it. */
export function FileAction({ deviceId, filePath }: FileActionProps) {
  const uploads = useUploads({ deviceId })
  const last = uploads.data?.find((upload) => upload.filePath === filePath)
  const ask = useCloudMutation('createUploads', {
    invalidates: ['listUploads'],
    onError(error) {
      const { title, text } = describeError(error)
      showToast({ tone: 'bad', title, text })
    },
  })
  if (last && isOpen(last)) return <UploadProgress upload={last} />
  if (last?.status === 'completed') return <DownloadLink upload={last} />
  const label = last?.status === 'failed' ? 'Try again' : 'Get file'
  return (
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
}
