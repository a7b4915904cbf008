import { type ReactElement, Suspense, useState } from 'react'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { lazyPart } from '../components/states/lazy-part.ts'
import { LoadingState } from '../components/states/loading-state.tsx'

// Most who open the list do not register: the form with its fields comes when it is asked for.
const Registration = lazyPart(async () => (await import('./registration.tsx')).Registration)

/** Registers a device: asks for what it is, then shows its key, once. */
export function RegisterDialog({ trigger }: { readonly trigger: ReactElement }) {
  const [isKeyShown, setIsKeyShown] = useState(false)
  return (
    <Dialog
      title="Register a device"
      trigger={trigger}
      isDismissable={false}
      isHeld={isKeyShown}
      onOpenChange={() => setIsKeyShown(false)}
    >
      {(close) => (
        <Suspense fallback={<LoadingState />}>
          <Registration close={close} onKeyShown={() => setIsKeyShown(true)} />
        </Suspense>
      )}
    </Dialog>
  )
}
