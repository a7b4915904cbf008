import { type ReactElement, Suspense, useState } from 'react'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { lazyPart } from '../components/states/lazy-part.ts'
import { LoadingState } from '../components/states/loading-state.tsx'

// Most who open the list do not register: the form with its fields comes when it is asked for.
const Registration = lazyPart(async () => (await import('./registration.tsx')).Registration)

/** Properties of {@link RegisterDialog}. */
interface RegisterDialogProps {
  /** The button that opens it. Without one, `isOpen` does. */
  readonly trigger?: ReactElement
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
}

/** Registers a device: asks for what it is, then shows its key, once. */
export function RegisterDialog({ onOpenChange, ...opened }: RegisterDialogProps) {
  const [isKeyShown, setIsKeyShown] = useState(false)
  return (
    <Dialog
      title="Register a device"
      {...opened}
      isDismissable={false}
      isHeld={isKeyShown}
      onOpenChange={(open) => {
        setIsKeyShown(false)
        onOpenChange?.(open)
      }}
    >
      {(close) => (
        <Suspense fallback={<LoadingState />}>
          <Registration close={close} onKeyShown={() => setIsKeyShown(true)} />
        </Suspense>
      )}
    </Dialog>
  )
}
