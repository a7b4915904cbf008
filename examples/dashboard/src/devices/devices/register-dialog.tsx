import { type ReactElement, Suspense } from 'react'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { lazyPart } from '../../components/states/lazy-part.ts'
import { LoadingState } from '../../components/states/loading-state.tsx'

// Most who open the list do not register: the form with its fields comes when it is asked for.
const Registration = lazyPart(async () => (await import('./registration.tsx')).Registration)

/** Registers a device: asks for what it is, then shows its key, once. */
export function RegisterDialog({ trigger }: { readonly trigger: ReactElement }) {
  return (
    <Dialog title="Register a device" trigger={trigger} isDismissable={false}>
      {(close) => (
        <Suspense fallback={<LoadingState />}>
          <Registration close={close} />
        </Suspense>
      )}
    </Dialog>
  )
}
