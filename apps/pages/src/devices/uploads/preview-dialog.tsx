import type { Upload } from '@homeward/contract/device-cloud'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { DialogActions } from '../../components/dialogs/dialog-actions.tsx'
import { DownloadLink } from './download-link.tsx'
import { addressOf } from './file-address.ts'
import { FilePreview } from './file-preview.tsx'

interface PreviewDialogProps {
  readonly upload: Upload
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** A window with the preview of an uploaded file, and its download. */
export function PreviewDialog({ upload, isOpen, onClose }: PreviewDialogProps) {
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
