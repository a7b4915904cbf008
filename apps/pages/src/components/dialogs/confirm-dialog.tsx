import { useState, type ReactElement, type ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import { DialogActions } from './dialog-actions.tsx'
import { DialogWindow } from './dialog-window.tsx'
import { ErrorState } from '../states/error-state.tsx'

/** What a {@link ConfirmDialog} takes. */
interface ConfirmDialogProps {
  readonly title: string
  /** What happens, and what of it cannot be undone. */
  readonly children: ReactNode
  /** What the button says: the verb, not "OK". */
  readonly confirmLabel: string
  /** The dialog stays open until this resolves, and shows why it failed. */
  readonly onConfirm: () => unknown
  /** Whether something is lost. @default true */
  readonly isDanger?: boolean
  readonly trigger?: ReactElement
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
}

/** Asks before something happens that cannot be taken back. */
export function ConfirmDialog({
  children,
  confirmLabel,
  onConfirm,
  isDanger = true,
  ...rest
}: ConfirmDialogProps) {
  return (
    <DialogWindow {...rest} size="small" role="alertdialog">
      {(close) => (
        <div className="dialog-body">
          <Confirmation {...{ confirmLabel, onConfirm, isDanger, close }}>{children}</Confirmation>
        </div>
      )}
    </DialogWindow>
  )
}

interface ConfirmationProps extends Required<
  Pick<ConfirmDialogProps, 'children' | 'confirmLabel' | 'onConfirm' | 'isDanger'>
> {
  readonly close: () => void
}

function Confirmation({ children, confirmLabel, onConfirm, isDanger, close }: ConfirmationProps) {
  const [error, setError] = useState<Error>()
  const [isPending, setIsPending] = useState(false)

  async function confirm(): Promise<void> {
    setError(undefined)
    setIsPending(true)
    try {
      await onConfirm()
      close()
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setIsPending(false)
    }
  }

  return (
    <>
      <div className="stack" data-gap="small">
        {children}
      </div>
      {error && <ErrorState error={error} isInline />}
      <DialogActions>
        <Button onPress={close} autoFocus>
          Cancel
        </Button>
        <Button
          variant={isDanger ? 'danger' : 'primary'}
          isPending={isPending}
          onPress={() => void confirm()}
        >
          {confirmLabel}
        </Button>
      </DialogActions>
    </>
  )
}
