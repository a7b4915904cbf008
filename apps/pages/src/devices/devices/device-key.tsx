import type { Device } from '@homeward/contract/device-cloud'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useCloudMutation } from '../../api/cloud.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { NewKey } from './new-key.tsx'

/** The key of a device: enough to recognize it, and a new one instead. */
export function DeviceKey({ device }: { readonly device: Device }) {
  // A key is kept by no query: it lives in the dialog, and is gone with it.
  const [shown, setShown] = useState<string>()
  const rotate = useCloudMutation('rotateDeviceKey', { invalidates: ['getDevice'] })
  return (
    <Card title="API key">
      <div className="row" data-justify="between">
        <p>
          <span className="muted">The server stores no keys. Last four characters:</span>{' '}
          <code>{device.keyHint ?? '–'}</code>
        </p>
        <ConfirmDialog
          title="Create a new key?"
          confirmLabel="Create a new key"
          isDanger={false}
          trigger={<Button icon={<RefreshCw aria-hidden />}>New key</Button>}
          onConfirm={async () => {
            const { apiKey } = await rotate.mutateAsync({ params: { id: device.id } })
            setShown(apiKey)
          }}
        >
          <p>The old key works until the new one is first used, at most 24 hours.</p>
        </ConfirmDialog>
      </div>
      <Dialog
        title="API key"
        isOpen={shown !== undefined}
        onOpenChange={(isOpen) => !isOpen && setShown(undefined)}
        isDismissable={false}
        isHeld
      >
        {(close) =>
          shown !== undefined && (
            <NewKey apiKey={shown} deviceId={device.id} name={device.name} close={close} />
          )
        }
      </Dialog>
    </Card>
  )
}
