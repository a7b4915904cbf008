import type { Device } from '@homeward/contract/device-cloud'
import { Trash2 } from 'lucide-react'
import { useLocation } from 'wouter'
import { useCloudMutation } from '../../api/cloud.ts'
import { untilGone } from '../../api/until-gone.ts'
import { Button } from '../../components/buttons/button.tsx'
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx'
import { showToast } from '../../components/states/toasts.tsx'

/** Deletes a device, once that was confirmed. */
export function DeleteDevice({ device }: { readonly device: Device }) {
  const [, navigate] = useLocation()
  const remove = useCloudMutation('deleteDevice', {
    invalidates: ['listDevices', 'listSearches', 'listUploads'],
  })

  async function confirm(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id: device.id } }))
    showToast({ title: 'Deleted', text: device.name })
    navigate('/devices')
  }

  return (
    <ConfirmDialog
      title={`Delete ${device.name}?`}
      confirmLabel="Delete device"
      onConfirm={confirm}
      trigger={
        <Button variant="danger" icon={<Trash2 aria-hidden />}>
          Delete device
        </Button>
      }
    >
      <p>Its searches with their results and its uploaded files are deleted too. This cannot be undone.</p>
      <p>Its key stops working immediately. To use the device again, register it again.</p>
    </ConfirmDialog>
  )
}
