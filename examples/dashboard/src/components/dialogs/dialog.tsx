import { X } from 'lucide-react'
import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { Dialog as AriaDialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { FocusAfterwards } from './focus-afterwards.ts'
import { IconButton } from '../buttons/icon-button.tsx'
import './dialog.css'
import { useUnloadQuestion } from './use-unload-question.ts'

/** What a {@link Dialog} takes. */
export interface DialogProps {
  readonly title: string
  /** The button that opens it. Without one, `isOpen` does. */
  readonly trigger?: ReactElement
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
  /** @default 'medium' */
  readonly size?: 'small' | 'medium' | 'large'
  /**
   * Whether a click beside it closes it: not where that would lose something. There Escape closes it only until something was
   * written in it. @default true
   */
  readonly isDismissable?: boolean
  /** Whether only its buttons close it, for what is shown now and never again. @default false */
  readonly isHeld?: boolean
  /** @default 'dialog' */
  readonly role?: 'dialog' | 'alertdialog'
  /** What it holds, or a function of what closes it. Put buttons into a `<DialogActions>` at the end. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

/** A window over the page, which keeps the focus until it is closed. */
export function Dialog({ trigger, isOpen, onOpenChange, ...rest }: DialogProps) {
  const controlled = { ...(isOpen !== undefined && { isOpen }), ...(onOpenChange && { onOpenChange }) }
  if (trigger === undefined) return <DialogWindow {...rest} {...controlled} />
  return (
    <DialogTrigger {...controlled}>
      {trigger}
      <DialogWindow {...rest} />
    </DialogTrigger>
  )
}

function DialogWindow({
  title,
  size = 'medium',
  isDismissable = true,
  isHeld = false,
  role = 'dialog',
  children,
  ...controlled
}: Omit<DialogProps, 'trigger'>) {
  const [isWritten, setIsWritten] = useState(false)
  const isFull = !isDismissable && isWritten
  useUnloadQuestion(isHeld || isFull)
  return (
    <ModalOverlay
      {...controlled}
      isDismissable={isDismissable && !isHeld}
      isKeyboardDismissDisabled={isHeld || isFull}
      className="dialog-overlay"
    >
      <Modal className="dialog-modal" data-size={size}>
        <FocusAfterwards />
        <AriaDialog role={role} className="dialog">
          {({ close }) => (
            <>
              <header className="dialog-header">
                <Heading slot="title" level={2} className="foreign">
                  {title}
                </Heading>
                <IconButton label="Close" icon={<X aria-hidden />} onPress={close} />
              </header>
              <DialogBody onWritten={setIsWritten}>
                {typeof children === 'function' ? children(close) : children}
              </DialogBody>
            </>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
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

/** The buttons of a dialog, or of a form: the one that does it stands last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>
}
