import { ClientError } from '@homeward/contract/client'
import type { Device } from '@homeward/contract/device-cloud'
import { Eye, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { cloud, useCloudMutation } from '../../api/cloud.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { Notice } from '../../components/states/notice.tsx'
import { NewKey } from './new-key.tsx'

/** The key of a device: enough to recognise it, a new one instead, and the key itself where the server keeps it. */
export function DeviceKey({ device }: { readonly device: Device }) {
  // A key is kept by no query: it lives in the dialog, and is gone with it.
  const [shown, setShown] = useState<{ readonly apiKey: string; readonly isKept: boolean }>()
  const rotate = useCloudMutation('rotateDeviceKey', { invalidates: ['getDevice'] })
  return (
    <Card title="API key">
      <div className="row" data-justify="between">
        <p>
          {device.keyHint !== undefined && <code>{device.keyHint}</code>}{' '}
          <span className="muted">is all that shows of it.</span>
        </p>
        <div className="row">
          <RevealKey deviceId={device.id} onRevealed={(apiKey) => setShown({ apiKey, isKept: true })} />
          <ConfirmDialog
            title="Make a new key?"
            confirmLabel="Make a new key"
            isDanger={false}
            trigger={<Button icon={<RefreshCw aria-hidden />}>New key</Button>}
            onConfirm={async () => {
              const { apiKey } = await rotate.mutateAsync({ params: { id: device.id } })
              setShown({ apiKey, isKept: false })
            }}
          >
            <p>The old key works until the new one is first used, at most 24 hours.</p>
          </ConfirmDialog>
        </div>
      </div>
      <Dialog
        title="API key"
        isOpen={shown !== undefined}
        onOpenChange={(isOpen) => !isOpen && setShown(undefined)}
        isDismissable={false}
        isHeld={shown?.isKept === false}
      >
        {(close) => shown && <NewKey {...shown} deviceId={device.id} name={device.name} close={close} />}
      </Dialog>
    </Card>
  )
}

interface RevealKeyProps {
  readonly deviceId: string
  readonly onRevealed: (apiKey: string) => void
}

function RevealKey({ deviceId, onRevealed }: RevealKeyProps) {
  const [error, setError] = useState<Error>()
  const [isPending, setIsPending] = useState(false)

  async function reveal(): Promise<void> {
    setIsPending(true)
    try {
      const { apiKey } = await cloud.revealDeviceKey({ params: { id: deviceId } })
      onRevealed(apiKey)
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setIsPending(false)
    }
  }

  const isNotKept = ClientError.is(error) && error.status === 404
  return (
    <>
      <Button icon={<Eye aria-hidden />} isPending={isPending} onPress={() => void reveal()}>
        Show key
      </Button>
      <Dialog
        title="Show key"
        size="small"
        isOpen={error !== undefined}
        onOpenChange={() => setError(undefined)}
      >
        {isNotKept ? (
          <Notice>{error.detail ?? 'This server does not keep keys.'}</Notice>
        ) : (
          error && <ErrorState error={error} isInline />
        )}
      </Dialog>
    </>
  )
}
