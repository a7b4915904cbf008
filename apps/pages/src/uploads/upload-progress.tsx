import type { Upload } from '@homeward/contract/device-cloud'
import { ProgressBar } from 'react-aria-components'
import { ByteSize } from '../components/text/byte-size.tsx'
import '../components/states/progress.css'
import { X } from 'lucide-react'
import { useCloudMutation } from '../api/cloud.ts'
import { Button } from '../components/buttons/button.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

const texts = { pending: 'Waiting for the device', uploading: 'Uploading …' }

/** How far an upload request is: that a device is at it, and the bytes that came where the cloud tells them. */
export function UploadProgress({ upload }: { readonly upload: Upload }) {
  const { status, filePath, receivedBytes, totalBytes } = upload
  if (status !== 'pending' && status !== 'uploading') return null
  const text = texts[status]
  const share = toShare(upload)
  return (
    <ProgressBar
      className="progress"
      aria-label={`${text} ${filePath}`}
      {...(share === undefined ? { isIndeterminate: true } : { value: share })}
    >
      <span className="small muted">
        {/* The bar says that it comes: there is no room for more than how much. */}
        {receivedBytes === undefined ? text : <ByteSize value={receivedBytes} />}
        {totalBytes !== undefined && (
          <>
            {' of '}
            <ByteSize value={totalBytes} />
          </>
        )}
      </span>
      <div className="progress-track">
        {status === 'uploading' &&
          (share === undefined ? (
            <div className="progress-fill" data-indeterminate />
          ) : (
            <div className="progress-fill" style={{ width: `${share}%` }} />
          ))}
      </div>
    </ProgressBar>
  )
}

/** Percent of a file that came; undefined where nobody knows its size. */
function toShare({ receivedBytes, totalBytes }: Upload): number | undefined {
  if (receivedBytes === undefined || !totalBytes) return undefined
  return Math.min(100, Math.floor((100 * receivedBytes) / totalBytes))
}

/** Cancels an upload request that is not settled yet. */
export function CancelUpload({ upload }: { readonly upload: Upload }) {
  const cancel = useCloudMutation('cancelUpload', {
    invalidates: ['listUploads'],
    onError(error) {
      // The device may have been faster.
      const { title, text } = describeError(error)
      showToast({ tone: 'bad', title, text })
    },
  })
  return (
    <Button
      variant="quiet"
      icon={<X aria-hidden />}
      isPending={cancel.isPending}
      aria-label={`Cancel ${upload.filePath}`}
      onPress={() => cancel.mutate({ params: { id: upload.id } })}
    >
      Cancel
    </Button>
  )
}
