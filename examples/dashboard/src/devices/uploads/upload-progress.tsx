import type { Upload } from '@homeward/contract/device-cloud'
import { ProgressBar } from 'react-aria-components'
import '../../components/progress.css'

const texts = { pending: 'Waits for the device', uploading: 'Uploading …' }

/** How far an upload request is. The interface says no more than that a device is at it. */
export function UploadProgress({ upload }: { readonly upload: Upload }) {
  if (upload.status !== 'pending' && upload.status !== 'uploading') return null
  const text = texts[upload.status]
  return (
    <ProgressBar className="progress" aria-label={`${text} ${upload.filePath}`} isIndeterminate>
      <span className="small muted">{text}</span>
      <div className="progress-track">
        {upload.status === 'uploading' && <div className="progress-fill" data-indeterminate />}
      </div>
    </ProgressBar>
  )
}
