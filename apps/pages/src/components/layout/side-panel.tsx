import { X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Dialog } from '../dialogs/dialog.tsx'
import { IconButton } from '../buttons/icon-button.tsx'
import { useMedia } from '../use-media.ts'
import './side-panel.css'

/** Props of {@link SidePanel}. */
interface SidePanelProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Whether a panel stands beside the page, and not over it. */
export const useHasPanelRoom = (): boolean => useMedia('(min-width: 75rem)')

/** One thing of a list, beside the list that stays in use; windows without room for both show it over the page. Escape closes it. */
export function SidePanel({ title, onClose, children }: SidePanelProps) {
  const hasRoom = useHasPanelRoom()
  useEffect(() => {
    if (!hasRoom) return
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isInWindow(event.target)) onClose()
    }
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [hasRoom, onClose])
  if (!hasRoom) {
    return (
      <Dialog title={title} size="large" isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
        {children}
      </Dialog>
    )
  }
  return (
    <aside className="side-panel" aria-label={title}>
      <header>
        <h2 className="foreign">{title}</h2>
        <IconButton label="Close" icon={<X aria-hidden />} onPress={onClose} />
      </header>
      <div className="side-panel-body">{children}</div>
    </aside>
  )
}

/** Escape in a window, a menu or a list of options closes that. */
const isInWindow = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('[role=dialog], [role=alertdialog], [role=menu], .popover') !== null
