import type { Upload } from '@homeward/contract/device-cloud'
import { X } from 'lucide-react'
import { useCloudMutation } from '../api/cloud.ts'
import { Button } from '../components/buttons/button.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

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
