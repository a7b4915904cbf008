import { X } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { Dialog as AriaDialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { FocusAfterwards } from './focus-afterwards.ts'
import { Button } from '../buttons/button.tsx'
import './dialog.css'

/** What a {@link DialogWindow} takes. */
export interface DialogWindowProps {
  readonly title: string
  /** The button that opens it. Without one, `isOpen` does. */
  readonly trigger?: ReactElement
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
  /** @default 'medium' */
  readonly size?: 'small' | 'medium' | 'large'
  /** Whether a click beside it closes it. @default true */
  readonly isDismissable?: boolean
  /** Whether Escape closes it. @default true */
  readonly isEscapable?: boolean
  /** @default 'dialog' */
  readonly role?: 'dialog' | 'alertdialog'
  /** What it holds, or a function of what closes it. Put buttons into a `<DialogActions>` at the end. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

/** A window over the page as it looks and keeps the focus; what is lost by closing it is up to `Dialog`. */
export function DialogWindow({ trigger, isOpen, onOpenChange, ...rest }: DialogWindowProps) {
  const controlled = { ...(isOpen !== undefined && { isOpen }), ...(onOpenChange && { onOpenChange }) }
  if (trigger === undefined) return <Overlay {...rest} {...controlled} />
  return (
    <DialogTrigger {...controlled}>
      {trigger}
      <Overlay {...rest} />
    </DialogTrigger>
  )
}

function Overlay({
  title,
  size = 'medium',
  isDismissable = true,
  isEscapable = true,
  role = 'dialog',
  children,
  ...controlled
}: Omit<DialogWindowProps, 'trigger'>) {
  return (
    <ModalOverlay
      {...controlled}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isEscapable}
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
                {/* Without a tooltip: Escape would close that first, and only then the window. */}
                <Button variant="quiet" data-icon-only aria-label="Close" onPress={close}>
                  <X aria-hidden />
                </Button>
              </header>
              {typeof children === 'function' ? children(close) : children}
            </>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
