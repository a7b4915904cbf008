import { type ReactNode, useEffect, useState } from 'react'
import { DialogWindow, type DialogWindowProps } from './dialog-window.tsx'
import { LeaveGuard, type LeaveQuestion } from './leave-guard.tsx'

/** What a {@link Dialog} takes. */
interface DialogProps extends Omit<DialogWindowProps, 'isEscapable' | 'role'> {
  /**
   * Whether a click beside it closes it: not where that would lose something. There Escape closes it only until something was
   * written in it, and then the way back asks. @default true
   */
  readonly isDismissable?: boolean
  /** Whether only its buttons close it, for what is shown now and never again: the way back asks. @default false */
  readonly isHeld?: boolean
}

const aboutSeenOnce: LeaveQuestion = {
  title: 'Leave this page?',
  text: 'You will not be able to see this again.',
  confirmLabel: 'Leave',
}

/** A window over the page, which keeps the focus until it is closed. */
export function Dialog({ isDismissable = true, isHeld = false, children, ...rest }: DialogProps) {
  const [isWritten, setIsWritten] = useState(false)
  const isFull = !isDismissable && isWritten
  return (
    <DialogWindow {...rest} isDismissable={isDismissable && !isHeld} isEscapable={!isHeld && !isFull}>
      {(close) => (
        <DialogBody onWritten={setIsWritten}>
          {typeof children === 'function' ? children(close) : children}
          <LeaveGuard isDirty={isHeld || isFull} {...(isHeld && { question: aboutSeenOnce })} />
        </DialogBody>
      )}
    </DialogWindow>
  )
}

interface DialogBodyProps {
  readonly onWritten: (isWritten: boolean) => void
  readonly children: ReactNode
}

function DialogBody({ onWritten, children }: DialogBodyProps) {
  // The next time it opens nothing is written in it.
  useEffect(() => () => onWritten(false), [onWritten])
  return (
    <div className="dialog-body" onInput={() => onWritten(true)}>
      {children}
    </div>
  )
}
