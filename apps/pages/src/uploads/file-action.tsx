import type { Upload } from '@homeward/contract/device-cloud'
import { Download, Eye, FileDown } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useCloudMutation } from '../api/cloud.ts'
import { Button } from '../components/buttons/button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { DownloadLink } from './download-link.tsx'
import { addressOf, isHere } from './file-address.ts'
import './file-action.css'
import { previewKind } from './file-address.ts'
import { saveFile } from './file-address.ts'
import { UploadProgress } from './upload-progress.tsx'
import { isOpen, useUploads } from './use-uploads.ts'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { FilePreview } from './file-preview.tsx'

interface FileActionProps {
  readonly deviceId: string
  readonly filePath: string
  readonly fileName: string
  /** When the file was changed last, as the device said; ISO 8601. */
  readonly modified: string
}

/** What happens to a file once it is there: `get` shows a preview where there is one, and else saves it. */
type Wish = 'get' | 'save'

/**
 * Asks the device for one file, shows how that goes, and then shows or saves it. A copy that is older than the file can be
 * had as well: the clock of a device may be wrong, and the file gone.
 */
export function FileAction({ deviceId, filePath, fileName, modified }: FileActionProps) {
  const uploads = useUploads({ deviceId })
  const { last, copy, isCurrent } = findDownloads(uploads.data ?? [], { filePath, modified })
  const [wish, setWish] = useState<{ readonly kind: Wish; readonly uploadId: string }>()
  const [isShown, setIsShown] = useState(false)
  const ask = useAskForFile(deviceId, filePath, (kind, uploadId) => setWish({ kind, uploadId }))
  const copyAddress = copy && addressOf(copy)
  const canPreview = previewKind(fileName) !== undefined && (copyAddress === undefined || isHere(copyAddress))
  const preview = copy && <PreviewDialog upload={copy} isOpen={isShown} onClose={() => setIsShown(false)} />

  const fulfil = useEffectEvent((upload: Upload) => {
    if (upload.status === 'completed' && wish?.kind === 'get' && canPreview) setIsShown(true)
    else if (upload.status === 'completed') void saveFile(upload)
    setWish(undefined)
  })
  useEffect(() => {
    if (last && last.id === wish?.uploadId && !isOpen(last)) fulfil(last)
  }, [last, wish])

  if (last && isOpen(last)) return <UploadProgress upload={last} />
  if (copy && isCurrent) {
    return (
      <div className="file-action">
        {canPreview && (
          <Button
            variant="quiet"
            icon={<Eye aria-hidden />}
            aria-label={`Preview ${filePath}`}
            onPress={() => setIsShown(true)}
          >
            Preview
          </Button>
        )}
        <DownloadLink upload={copy} />
        {preview}
      </div>
    )
  }
  const label = last?.status === 'failed' ? 'Try again' : 'Get file'
  return (
    <div className="file-action">
      <Button
        variant="quiet"
        icon={<FileDown aria-hidden />}
        isPending={ask.isPending}
        aria-label={`${label}: ${filePath}`}
        onPress={() => ask.start('get')}
      >
        {label}
      </Button>
      {copy ? (
        <DownloadLink upload={copy} isOld />
      ) : (
        canPreview && (
          <IconButton
            label={`Download ${fileName}`}
            icon={<Download aria-hidden />}
            onPress={() => ask.start('save')}
          />
        )
      )}
      {preview}
    </div>
  )
}

/** Asks a device for a file. @param onAsked is called with the id of the request. */
function useAskForFile(deviceId: string, filePath: string, onAsked: (wish: Wish, uploadId: string) => void) {
  const ask = useCloudMutation('createUploads', {
    invalidates: ['listUploads'],
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  return {
    isPending: ask.isPending,
    start: (wish: Wish) =>
      ask.mutate(
        { body: { deviceIds: [deviceId], filePath, destination: 'cloud' } },
        {
          onSuccess: ({ uploadRequests: [request] }) => request && onAsked(wish, request.id),
        },
      ),
  }
}

/** What was fetched of one file. */
interface FileCopies {
  /** The last time that it was asked for. */
  readonly last: Upload | undefined
  /** The newest copy that is there. */
  readonly copy: Upload | undefined
  /** Whether that came of the last time, and the file was not changed since. */
  readonly isCurrent: boolean
}

/** Finds what was fetched of a file. @param uploads of its device, newest first. */
export function findDownloads(
  uploads: readonly Upload[],
  { filePath, modified }: { readonly filePath: string; readonly modified: string },
): FileCopies {
  const own = uploads.filter((upload) => upload.filePath === filePath)
  const last = own[0]
  const copy = own.find(({ status }) => status === 'completed')
  const isChanged = Date.parse(modified) > Date.parse(copy?.completedAt ?? '')
  return { last, copy, isCurrent: copy !== undefined && copy === last && !isChanged }
}

interface PreviewDialogProps {
  readonly upload: Upload
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** A window with the preview of an uploaded file, and its download. */
function PreviewDialog({ upload, isOpen, onClose }: PreviewDialogProps) {
  const address = addressOf(upload)
  const fileName = upload.fileName ?? upload.filePath
  return (
    <Dialog
      title={fileName}
      size="large"
      isOpen={isOpen}
      onOpenChange={(isStillOpen) => !isStillOpen && onClose()}
    >
      {address !== undefined && <FilePreview address={address} fileName={fileName} />}
      <DialogActions>
        <DownloadLink upload={upload} />
      </DialogActions>
    </Dialog>
  )
}
